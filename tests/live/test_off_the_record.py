"""A prompt that is kept out leaves no trace in memsift, in either host, and is not sent with later prompts."""

from __future__ import annotations

import json

from tests.live import judges
from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_WORD
from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge

PLAN = "(off the record) We buy Zenocart in March. Which lawyers do we know?"
PLAN_ANSWER = "Ask the Zenocart people for theirs."
WORD = "Zenocart"


class OffTheRecordTest(LiveCase):
    def test_claude_code(self) -> None:
        self.check(self.claude)

    def test_codex(self) -> None:
        self.check(self.codex)

    def check(self, host: Claude | Codex) -> None:
        judge = judges.serve(self, self.desk, computed(ScriptedJudge({CHOICE_WORD: 0.9})))
        conversation = host.open()
        conversation.ask(PLAN, PLAN_ANSWER)
        conversation.ask(CHOICE, CHOICE_NOTED)
        conversation.close()
        self.settle()
        self.assertIn(WORD, json.dumps(host.model.bodies()[-1]))
        self.assert_noted_once(CHOICE_WORD)
        self.assertEqual(self.memory.holding(WORD), [])
        self.assertEqual([request.line for request in judge.requests if WORD in request.body.decode()], [])
        self.assertEqual(len(self.memory.decisions("core-prompt")), 1)
