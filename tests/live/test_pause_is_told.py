"""A judge that stops answering is told to the model once in each session, in both hosts."""

from __future__ import annotations

from tests.live import judges
from tests.live.case import CHOICE_QUESTION
from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge

REFUSED = answers({"error": {"code": 401, "message": "the key is not known"}}, "401 Unauthorized")
WELL = computed(ScriptedJudge(turn="nothing"))


class PauseIsToldTest(LiveCase):
    def test_once_in_each_session_of_claude_code(self) -> None:
        self.check(self.claude)

    def test_once_in_each_session_of_codex(self) -> None:
        self.check(self.codex)

    def check(self, host: Claude | Codex) -> None:
        self.judge = judges.serve(self, self.desk, REFUSED)
        conversation = host.open()
        for prompt in ("Hello", CHOICE_QUESTION, "Hello again"):
            conversation.ask(prompt, "Hello.")
            self.assert_told(host, 1)
        self.assertIn("the key is not known", host.added()[0])
        self.judge.script[:] = [WELL]
        self.assertIn("is called again", judges.resume(self.desk))
        conversation.ask("And hello", "Hello.")
        self.assert_told(host, 1)
        self.judge.script[:] = [REFUSED]
        for prompt in ("Hello?", "Are you there?"):
            conversation.ask(prompt, "Yes.")
            self.assert_told(host, 2)
        conversation.close()
        host.say("Hello", "Hello.")
        self.assert_told(host, 1)
        self.assertEqual(self.desk.settle(), {}, "processes left behind")

    def assert_told(self, host: Claude | Codex, times: int) -> None:
        """The model has read so many announcements, and nothing else of memsift's, in this session."""
        added = host.added()
        self.assertEqual([text for text in added if "memsift paused Jev" not in text], [])
        self.assertEqual(len(added), times, "\n".join(added))
