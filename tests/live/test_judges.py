"""What Jev judges reaches both hosts, and the hooks work with real System One servers as they are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest

from memsift import notes
from memsift import pending
from memsift import project
from memsift.entry import Entry
from tests.live import judges
from tests.live import systemone_programs
from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_QUESTION
from tests.live.case import CHOICE_WORD
from tests.live.case import LiveCase
from tests.live.case import write_readme
from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge
from tests.support import ROOT
from tests.support import SCRIPTS
from tests.support import HomeTest

FACT = CHOICE.split(". ")[0] + "."


class JudgedNoteTest(LiveCase):
    def test_a_note_of_claude_code_reaches_codex(self) -> None:
        self.check(self.claude, self.codex)

    def test_a_note_of_codex_reaches_claude_code(self) -> None:
        self.check(self.codex, self.claude)

    def check(self, first: Claude | Codex, second: Claude | Codex) -> None:
        scripted = ScriptedJudge({FACT: 0.92})
        server = judges.serve(self, self.desk, computed(scripted))
        first.say(CHOICE, write_readme(first), CHOICE_NOTED)
        self.settle()
        self.assert_noted_once(CHOICE_WORD)
        self.assertEqual(self.memory.decisions("core-turn")[-1]["sorter"], "jev")
        scripted.turn = "nothing"
        second.say(CHOICE_QUESTION, "PayCo, because its fees are lower for small carts.")
        self.settle()
        block, = second.added()
        self.assertIn(FACT, block)
        self.assertEqual(self.memory.decisions("core-prompt")[-1]["sorter"], "jev")
        self.assertEqual(len(server.requests), 4)
        scripted.kind = "reaction"
        second.say(CHOICE_QUESTION, "PayCo.")
        self.assertEqual(second.added(), [])
        self.settle()


class RealServers:
    """The hooks, the worker and two commands against a server of an independent maker."""

    server = ""

    def setUp(self) -> None:
        if os.environ.get("MEMSIFT_LIVE") != "1":
            self.skipTest("live test: runs with MEMSIFT_LIVE=1")
        super().setUp()
        running = systemone_programs.running(self.server)
        try:
            url = running.__enter__()
        except systemone_programs.Unavailable as reason:
            self.skipTest(str(reason))
        self.addCleanup(running.__exit__, None, None, None)
        self.environment.update(MEMSIFT_JEV_URL=url, MEMSIFT_DEBUG="1")

    def command(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, "-B", "-m", "memsift", *arguments], cwd=self.project, timeout=120, check=False,
                              env=dict(self.environment, PYTHONPATH=ROOT), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def sorters(self, area: str) -> list[str]:
        return [json.loads(found)["sorter"] for found in re.findall(r" DECISION %s (\{.*\})" % area, self.log_text())]

    def test_prompts_and_turns_are_judged(self) -> None:
        name = project.identify(self.project, self.user_home).name
        notes.append(self.home, name, [Entry("k%d" % number, "2026-11-30", "The mail service reads part %d." % number)
                                       for number in range(60)])
        for host in SCRIPTS:
            self.hook(host, "prompt", self.payload(host, "UserPromptSubmit", prompt=FACT, session_id=host))
            self.hook(host, "answer", self.payload(host, "Stop", last_assistant_message="Noted.", session_id=host))
            self.wait_for(lambda: not pending.read(self.home, name))
        self.assertEqual((self.sorters("core-prompt"), self.sorters("core-turn")), (["jev"] * 2, ["jev"] * 2))
        self.assertNotIn("ERROR", self.log_text())

    def test_resume_and_replay(self) -> None:
        self.assertIn("Jev answers.", self.command("resume"))
        example = os.path.join(ROOT, "tests", "replay", "acme_shop.json")
        report = json.loads(self.command("replay", "--json", "--sorter", "jev", example))
        self.assertEqual(report["total"]["prompts"], 8)

    def test_calibration(self) -> None:
        """In a process of its own: ten cases, no questions asked since the server is on this machine."""
        done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "calibrate_jev.py"), "--json", "--yes", "--limit", "5",
                               os.path.join(ROOT, "tests", "conversations", "a1.json")], cwd=self.project, timeout=300, check=False,
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsInstance(json.loads(done.stdout), dict)


class SparrowDecider(RealServers, HomeTest):
    server = "sparrow-decider"


class DevDouble(RealServers, HomeTest):
    server = "dev-double"


class LlamaCpp(RealServers, HomeTest):
    server = "llama.cpp"


if __name__ == "__main__":
    unittest.main()
