"""Turns of Claude Code that do not go straight."""

from __future__ import annotations

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_WORD
from tests.live.case import STORE
from tests.live.case import STORE_NOTED
from tests.live.case import STORE_WORD
from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.scripted_server import Reply
from tests.live.turns import Turns


class ClaudeTurnsTest(Turns, LiveCase):
    hosts = ("claude",)
    full = 990_000

    @property
    def host(self) -> Claude:
        return self.claude

    def slow_command(self) -> Reply:
        return Reply(tool="Bash", input={"command": "sleep 3", "description": "Wait"})

    def test_a_prompt_that_waits_for_the_running_turn(self) -> None:
        conversation = self.claude.open()
        self.claude.model.script(Reply(text=CHOICE_NOTED, pace=0.2), STORE_NOTED)
        conversation.send(CHOICE)
        self.memory.wait_for(self.claude.model.bodies)
        conversation.send(STORE)
        conversation.wait(answers=2)
        conversation.close()
        self.settle()
        self.assert_noted_apart(CHOICE_WORD, STORE_WORD)
