"""The plugin as each host installs it from its marketplace."""

from __future__ import annotations

import collections
import hashlib
import json
import os

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_QUESTION
from tests.live.case import LiveCase
from tests.live.case import write_readme

CLAUDE_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
CODEX_EVENTS = ("sessionStart", "userPromptSubmit", "postToolUse", "stop", "interrupt", "sessionEnd")


class InstallationTest(LiveCase):
    def test_claude_code_accepts_the_manifests(self) -> None:
        self.assertIn("Validation passed", self.claude.validate(self.desk.plugin))

    def test_claude_code_runs_one_hook_an_event(self) -> None:
        conversation = self.claude.open()
        conversation.ask("Hello", "Hello.")
        self.assertEqual({event: conversation.hooks(event) for event in CLAUDE_EVENTS},
                         dict.fromkeys(CLAUDE_EVENTS, 1))
        conversation.close()
        self.settle()

    def test_codex_runs_one_hook_an_event_and_none_of_claude_code(self) -> None:
        listed = self.codex.hooks()
        self.assertEqual((listed["warnings"], listed["errors"]), ([], []))
        self.assertEqual({hook["key"].split(":")[1] for hook in listed["hooks"]}, {"hooks/codex.json"})
        self.assertEqual(collections.Counter(hook["eventName"] for hook in listed["hooks"]),
                         dict.fromkeys(CODEX_EVENTS, 1))

    def test_codex_makes_no_skills_of_the_commands(self) -> None:
        self.codex.say("Hello", "Hello.")
        self.assertNotIn("source-command", json.dumps(self.codex.model.bodies()))
        self.settle()

    def test_nothing_is_written_into_the_plugin(self) -> None:
        folders = (self.claude.plugin, self.codex.plugin)
        before = [fingerprints(folder) for folder in folders]
        for host in (self.claude, self.codex):
            host.say(CHOICE, write_readme(host), CHOICE_NOTED)
            host.say(CHOICE_QUESTION, "PayCo.")
        self.settle()
        self.assertEqual([fingerprints(folder) for folder in folders], before)
        self.assertEqual({hook["trustStatus"] for hook in self.codex.hooks()["hooks"]}, {"trusted"})


def fingerprints(folder: str) -> dict[str, str]:
    """What each file below a folder holds and who may read it."""
    found = {}
    for parent, _, names in os.walk(folder):
        for path in (os.path.join(parent, name) for name in names):
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, folder)] = "%o %s" % (os.stat(path).st_mode, digest)
    return found
