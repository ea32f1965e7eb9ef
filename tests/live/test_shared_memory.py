"""What one host's session decides, the other host's next session is told."""

from __future__ import annotations

from tests.live import readme
from tests.live.case import CHOICE_QUESTION
from tests.live.case import CHOICE_WORD
from tests.live.case import GO_AHEAD
from tests.live.case import LiveCase
from tests.live.case import masked
from tests.live.claude import Claude
from tests.live.codex import Codex


class SharedMemoryTest(LiveCase):
    def test_a_choice_made_in_claude_code_reaches_codex(self) -> None:
        self.check_a_choice_travels(self.claude, self.codex)

    def test_a_choice_made_in_codex_reaches_claude_code(self) -> None:
        self.check_a_choice_travels(self.codex, self.claude)

    def test_a_prompt_that_needs_nothing_gets_nothing(self) -> None:
        self.remember(self.claude)
        for host in (self.claude, self.codex):
            with self.subTest(host.name):
                host.say(GO_AHEAD, "Done.")
                self.assertEqual(host.added(), [])
        self.settle()

    def check_a_choice_travels(self, first: Claude | Codex, second: Claude | Codex) -> None:
        self.remember(first)
        second.say(CHOICE_QUESTION, "PayCo, because its fees are lower for small carts.")
        self.settle()
        self.assertEqual([masked(block) for block in second.added()], [masked(readme.block())])
        self.check_it_was_judged()
        self.assert_noted_once(CHOICE_WORD)

    def check_it_was_judged(self) -> None:
        """The log tells that the note was a candidate and why it was added."""
        decision = self.memory.decisions("core-prompt")[-1]
        note = self.memory.about(CHOICE_WORD)[0].partition("[")[2].partition("]")[0]
        self.assertEqual(decision["added"], [note])
        self.assertIn(note, [candidate[0] for candidate in decision["candidates"]])
