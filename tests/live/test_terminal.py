"""Claude Code in its terminal, where Esc and queued prompts reach the hooks in another order."""

from __future__ import annotations

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_WORD
from tests.live.case import STORE
from tests.live.case import STORE_NOTED
from tests.live.case import STORE_WORD
from tests.live.case import LiveCase
from tests.live.claude_terminal import ClaudeTerminal
from tests.live.scripted_server import Reply


class TerminalTest(LiveCase):
    hosts = ("claude",)

    def setUp(self) -> None:
        super().setUp()
        self.terminal = ClaudeTerminal(self.claude)

    def leave_after(self, word: str) -> None:
        """Close the terminal once the last turn is sorted: on a busy machine the host may not wait for its hooks when it
        is closed, and what they did not come to is left to the next session."""
        self.memory.wait_for(lambda: self.memory.about(word))
        self.terminal.close()
        self.settle()

    def test_a_prompt_that_waits_for_the_running_turn(self) -> None:
        self.claude.model.script(Reply(text=CHOICE_NOTED, pace=0.3), STORE_NOTED)
        self.terminal.type(CHOICE)
        self.memory.wait_for(self.claude.model.bodies)
        self.terminal.type(STORE)
        self.terminal.wait_for(STORE_NOTED)
        self.leave_after(STORE_WORD)
        self.assert_noted_apart(CHOICE_WORD, STORE_WORD)

    def test_a_turn_interrupted_with_esc(self) -> None:
        self.claude.model.script(Reply(text="Let me look at the README first. " * 5, pace=0.3), CHOICE_NOTED)
        self.terminal.type(STORE)
        self.terminal.wait_for("Let me look")
        self.terminal.press("Escape")
        self.terminal.wait_for("Interrupted")
        self.terminal.type(CHOICE)
        self.terminal.wait_for(CHOICE_NOTED)
        self.leave_after(CHOICE_WORD)
        self.assert_noted_apart(STORE_WORD, CHOICE_WORD)
