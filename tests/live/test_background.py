"""The work after an answer goes on when the host has ended, and ends by itself."""

from __future__ import annotations

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_WORD
from tests.live.case import STORE
from tests.live.case import STORE_NOTED
from tests.live.case import STORE_WORD
from tests.live.case import LiveCase


class BackgroundTest(LiveCase):
    def test_the_turn_is_sorted_after_the_host_has_ended(self) -> None:
        self.claude.say(CHOICE, CHOICE_NOTED)
        self.codex.say(STORE, STORE_NOTED)
        self.assertTrue(self.memory.wait_for(
            lambda: self.memory.about(CHOICE_WORD) and self.memory.about(STORE_WORD), seconds=60))
        self.settle()
        self.assert_noted_apart(CHOICE_WORD, STORE_WORD)

    def test_no_process_is_left_a_minute_after_the_hosts_have_ended(self) -> None:
        conversations = [host.open() for host in (self.claude, self.codex)]
        for conversation in conversations:
            conversation.ask(CHOICE, CHOICE_NOTED)
            conversation.close()
        self.assertEqual(self.desk.settle(seconds=60), {})
