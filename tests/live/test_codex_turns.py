"""Turns of Codex that do not go straight."""

from __future__ import annotations

from tests.live.case import CHOICE_QUESTION
from tests.live.case import LiveCase
from tests.live.codex import Codex
from tests.live.scripted_server import Reply
from tests.live.turns import AGAIN
from tests.live.turns import IN_THE_NOTES
from tests.live.turns import Turns


class CodexTurnsTest(Turns, LiveCase):
    hosts = ("codex",)
    full = 190_000
    codex_settings = "model_context_window = 200000\nmodel_auto_compact_token_limit = 150000"

    @property
    def host(self) -> Codex:
        return self.codex

    def slow_command(self) -> Reply:
        return Reply(tool="shell", input="sleep 3")

    def test_a_forked_session_knows_what_it_was_given(self) -> None:
        self.remember(self.codex)
        session = self.codex.say(CHOICE_QUESTION, IN_THE_NOTES)
        self.assertEqual(len(self.codex.added()), 1)
        self.codex.say(AGAIN, IN_THE_NOTES, session=session, fork=True)
        self.assertEqual(len(self.codex.added()), 1)
        self.settle()
