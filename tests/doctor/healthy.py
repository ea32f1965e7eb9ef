"""A healthy installation on an invented machine, for tests to plant one fault in."""

import json
import os
import time

import memsift
from memsift import doctor
from memsift import notes
from memsift import project
from memsift.deadline import Deadline
from memsift.doctor import claude
from memsift.doctor import codex
from memsift.doctor.case import Case
from memsift.entry import Entry
from memsift.settings import Settings
from tests.support import ROOT
from tests.support import HomeTest

NAME = "memsift@memsift"
EVENTS = ("session_start", "user_prompt_submit", "post_tool_use", "stop", "interrupt", "session_end")


class HealthyTest(HomeTest):
    """Both hosts have the plugin, their hooks have just run, there are notes and a card, and nothing is set."""

    def setUp(self):
        super().setUp()
        self.now = time.time()
        self.name = project.identify(self.project, self.user_home).name
        self.claude = os.path.join(self.user_home, ".claude")
        self.codex = os.path.join(self.user_home, ".codex")
        self.env_file = os.path.join(self.user_home, ".cognee", ".env")
        notes.append(self.home, self.name, [Entry("k7f3a09b2c", "2026-11-30", "We go with PayCo for payments.")])
        self.write(os.path.join(self.project, "jev.md"), "# acme-shop\n\nA small shop.\n")
        self.install_in_claude()
        self.install_in_codex()
        os.chmod(self.memsift_home, 0o700)

    def write(self, path, text, mode=0o600):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = text if isinstance(text, bytes) else (json.dumps(text) if isinstance(text, dict) else text).encode("utf-8")
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        return path

    def install_in_claude(self, version=claude.TESTED_VERSION):
        copy = os.path.join(self.claude, "plugins", "cache", "memsift", "memsift", memsift.__version__)
        self.write(os.path.join(copy, "hooks", "claude_code.py"), "")
        installed = {"version": 2, "plugins": {NAME: [{"scope": "user", "installPath": copy, "version": memsift.__version__}]}}
        self.write(os.path.join(self.claude, "plugins", "installed_plugins.json"), installed)
        self.write(os.path.join(self.claude, "settings.json"), {"enabledPlugins": {NAME: True}})
        slug = "".join(each if each.isalnum() else "-" for each in self.project)
        self.transcript = self.write(os.path.join(self.claude, "projects", slug, "s1.jsonl"),
                                     '{"type":"user","version":"%s"}\n' % version)
        self.see("s1", "claude-code", self.transcript)

    def install_in_codex(self, version=codex.TESTED_VERSION):
        copy = os.path.join(self.codex, "plugins", "cache", "memsift", "memsift", memsift.__version__)
        self.bundle = os.path.dirname(self.write(os.path.join(copy, "README.md"), ""))
        with open(os.path.join(ROOT, "hooks", "codex.json"), encoding="utf-8") as file:
            self.write(os.path.join(copy, "hooks", "codex.json"), file.read())
        self.config = self.write(os.path.join(self.codex, "config.toml"), self.codex_config())
        self.rollout = self.write(
            os.path.join(self.codex, "sessions", "2026", "11", "30", "rollout-1.jsonl"),
            json.dumps({"type": "session_meta", "payload": {"cwd": self.project, "cli_version": version}}) + "\n")
        self.see("s2", "codex", self.rollout)

    def codex_config(self, events=EVENTS, more=""):
        states = "".join('[hooks.state."%s:hooks/codex.json:%s:0:0"]\ntrusted_hash = "sha256:ab"\n'
                         'trusted_content_hash = "sha256:cd"\n' % (NAME, event) for event in events)
        return 'model = "gpt-5.5"\n[plugins."%s"]\nenabled = true\n%s\n%s' % (NAME, states, more)

    def see(self, session, host, transcript, ago=5, ran=("session-start", "prompt", "answer")):
        when = int(self.now - ago)
        facts = {"version": 1, "session": session, "host": host, "repository": self.name, "root": self.project,
                 "seen": when, "ran": dict.fromkeys(ran, when), "transcript": transcript}
        self.write(self.home.session(session), facts)

    def set(self, *lines):
        self.write(self.env_file, "".join(line + "\n" for line in lines))

    def report(self, folder=None, now=None, host="", **environment):
        os.environ.update(environment)
        for name in environment:
            self.addCleanup(os.environ.pop, name, None)
        case = Case(self.memsift_home, Settings(), folder or self.project, Deadline(20.0), host, now=now or self.now)
        return doctor.examine(case)

    def findings(self, *arguments, **options):
        return [finding for section in self.report(*arguments, **options).sections for finding in section.findings]

    def assert_found(self, what, do, *arguments, **options):
        """Exactly one finding, which says that and advises this."""
        found = self.findings(*arguments, **options)
        self.assertEqual(len(found), 1, [one.what for one in found])
        self.assertIn(what, found[0].what)
        self.assertIn(do, found[0].do)
        self.assertTrue(found[0].why.strip().endswith((".", "!")), found[0].why)
        return found[0]
