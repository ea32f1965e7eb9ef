"""Doctor and resume typed in the real terminals of both hosts, and pauses told there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

from tests.live import judges
from tests.live import readme
from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.claude_terminal import ClaudeTerminal
from tests.live.codex import Codex
from tests.live.codex_terminal import CodexTerminal
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge
from tests.support import ROOT

REFUSED = answers({"error": {"code": 401, "message": "the key is not known"}}, "401 Unauthorized")
WELL = computed(ScriptedJudge(turn="nothing"))
PASSED_ON = "That is the report."
SCREENS = os.environ.get("MEMSIFT_SCREENS", "")  # a folder to keep the screens in


class TypedInTheTerminal(LiveCase):
    """The screens of MEMSIFT_SCREENS are those of docs/DOCTOR.md."""

    def test_claude_code(self) -> None:
        self.claude.model.script(*[PASSED_ON] * 9)
        self.check(self.claude, lambda: ClaudeTerminal(self.claude, (110, 100)), ("/memsift-%s", "/memsift:memsift-%s"))

    def test_codex_in_its_default_sandbox(self) -> None:
        self.codex.model.script(*[PASSED_ON] * 9)
        self.check(self.codex, lambda: CodexTerminal(self.codex, (110, 100)), ("$memsift-%s", "$memsift:memsift-%s"))

    def check(self, host: Claude | Codex, open_terminal: object, forms: tuple[str, str]) -> None:
        self.judge = judges.serve(self, self.desk, REFUSED)
        terminal = open_terminal()
        for prompt in ("Hello", "Are you there?", "Hello again"):  # the pause is known at the second one at the latest
            terminal.type(prompt)
            self.assertTrue(self.memory.wait_for(lambda: self.is_paused() and prompt in longest(host), seconds=90),
                            longest(host)[-3000:])
        terminal.wait_for("memsift paused Jev, the judge")
        self.assertEqual(longest(host).count("memsift paused Jev"), 1)
        terminal.type(forms[0] % "doctor")
        terminal.wait_for(r"memsift doctor: \d problem")
        screen = self.wait_and_keep(terminal, host, "doctor")
        self.assertIn("Jev (the judge) is paused since 20", flat(screen))
        self.assertRegex(flat(screen), "the key is not known")
        self.assertIn("has no card", flat(screen))
        self.judge.script[:] = [WELL]
        waited = self.memory.pending()
        self.assertTrue(waited)
        terminal.type(forms[1] % "resume")
        terminal.wait_for("Jev answers and is called again")
        self.wait_and_keep(terminal, host, "resume")
        self.assertTrue(self.memory.wait_for(lambda: not self.memory.pending(), seconds=90))
        self.assertFalse(self.is_paused())
        self.assertEqual(longest(host).count(", which the user has asked for. The user has this report on the screen already"),
                         2)
        terminal.close()

    def wait_and_keep(self, terminal: object, host: Claude | Codex, name: str) -> str:
        """The screen once the agent has passed the report on."""
        count = len(host.model.bodies())
        self.memory.wait_for(lambda: len(host.model.bodies()) > count, seconds=20)
        terminal.wait_for(re.escape(PASSED_ON))
        screen = terminal.screen(100)
        if SCREENS:
            path = os.path.join(SCREENS, "%s-%s.txt" % (host.name.lower().replace(" ", "-"), name))
            with open(path, "w", encoding="utf-8") as file:
                file.write(screen)
        return screen

    def is_paused(self) -> bool:
        path = os.path.join(self.memory.folder, "state.json")
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            return bool(json.load(file)["services"]["jev"].get("paused"))


class WithoutATerminal(LiveCase):
    def test_the_agent_is_told_to_pass_the_report_on(self) -> None:
        for host, prompt in ((self.claude, "/memsift-doctor"), (self.codex, "$memsift:memsift-doctor")):
            host.say(prompt, PASSED_ON)
            self.assertEqual(longest(host).count("Give this report to the user as it is"), 1)
            self.assertIn("memsift doctor: ", longest(host))
        self.settle()
        self.assertEqual(self.memory.notes(), [])

    def test_the_agent_is_not_offered_them_for_its_own_use(self) -> None:
        for host in (self.claude, self.codex):
            host.say("Hello", "Hello.")
            self.assertNotRegex(json.dumps(host.model.bodies()), "memsift-(doctor|resume)")


class SkillWithoutItsPlugin(LiveCase):
    hosts = ()

    def test_it_says_how_to_install_the_plugin(self) -> None:
        for make, folder, prompt in ((Claude, ".claude/skills", "/memsift-doctor"), (Codex, ".codex/skills", "$memsift-doctor")):
            host = make(self.desk)
            self.addCleanup(host.close)
            shutil.copytree(os.path.join(ROOT, "skills"), os.path.join(self.desk.home, folder))
            host.say(prompt, "I tell the user.")
            for program in ("claude", "codex"):
                for arguments in readme.commands(program):
                    self.assertIn(" ".join([program] + arguments), longest(host))
            self.assertFalse(os.path.exists(self.memory.folder))


class UntrustedHooks(LiveCase):
    hosts = ("codex",)

    def test_doctor_in_a_shell_finds_them(self) -> None:
        self.assertNotIn("does not trust", self.doctor())
        with open(self.codex.settings, encoding="utf-8") as file:
            settings = file.read()
        with open(self.codex.settings, "w", encoding="utf-8") as file:
            file.write(settings.partition("\n[hooks.state.")[0])
        self.assertIn("Codex does not trust 6 of memsift's 6 hooks", self.doctor())

    def doctor(self) -> str:
        done = subprocess.run([sys.executable, "-B", "-m", "memsift", "doctor"], cwd=self.desk.project, capture_output=True, text=True,
                              env=self.desk.environment(PYTHONPATH=ROOT), check=False, timeout=60)
        self.assertEqual(done.stderr, "")
        return flat(done.stdout)


def longest(host: Claude | Codex) -> str:
    """The last conversation as the model sees it. (Codex also asks for a title, of a conversation that has begun.)"""
    return max(map(json.dumps, host.model.bodies()), key=len, default="")


def flat(screen: str) -> str:
    """A screen without its line breaks."""
    return " ".join(screen.split())
