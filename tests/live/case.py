"""What the live tests share: a machine with both hosts, as it was when the plugin had just been installed."""

from __future__ import annotations

import os
import re
import unittest

from tests.live import machine
from tests.live import programs
from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.live.scripted_server import Reply

CHOICE = "We go with PayCo for payments, its fees are lower for small carts. Note it in the README."
CHOICE_NOTED = "Noted: acme-shop uses PayCo because its fees are lower for small carts."
CHOICE_QUESTION = "Which payment provider did we choose, and why?"
CHOICE_WORD = "PayCo"

STORE = ("We decided against Redis for the carts because it lost them at every restart, "
         "so the carts stay in Postgres.")
STORE_NOTED = "Understood: no Redis, the carts stay in Postgres."
STORE_WORD = "Postgres"

GO_AHEAD = "ok, go ahead"


class LiveCase(unittest.TestCase):
    """Gives a test `desk`, `memory` and its hosts (`claude`, `codex`), with the plugin installed in them."""

    hosts = ("claude", "codex")
    codex_settings = ""

    def setUp(self) -> None:
        if os.environ.get("MEMSIFT_LIVE") != "1":
            self.skipTest("live test: runs with MEMSIFT_LIVE=1")
        if not os.path.isdir("/proc/self"):
            self.skipTest("live test: needs /proc to see which processes are left")
        for name in self.hosts:
            self.assertTrue(programs.find(name), "missing: run python3 -m tests.live.programs")
        used = machine.with_plugin(self.hosts, self.codex_settings)
        self.desk, self.memory = used.desk, used.desk.memory
        self.addCleanup(self.desk.stop)
        vars(self).update(used.hosts)

    def settle(self) -> None:
        """Wait for the background work to end: no process, no turn left to sort, no error."""
        self.assertEqual(self.desk.settle(), {}, "processes left behind")
        self.assertEqual(self.memory.errors(), [])
        self.assertEqual(self.memory.pending(), [], "turns that were not sorted")

    def remember(self, host: Claude | Codex) -> None:
        """Have the choice of PayCo decided in an earlier session."""
        host.say(CHOICE, write_readme(host), CHOICE_NOTED)
        self.settle()
        self.assert_noted_once(CHOICE_WORD)

    def assert_noted_once(self, *words: str) -> None:
        """Each word stands in exactly one note."""
        counts = {word: len(self.memory.about(word)) for word in words}
        self.assertEqual(counts, dict.fromkeys(words, 1), "\n".join(self.memory.notes()))

    def assert_noted_apart(self, *words: str) -> None:
        """Each word stands in exactly one note, and each of these notes comes from a turn of its own."""
        self.assert_noted_once(*words)
        turns = {re.search(r" turn=(\S+)", self.memory.about(word)[0]).group(1) for word in words}
        self.assertEqual(len(turns), len(words), turns)


def masked(block: str) -> str:
    """A block that was added to a prompt, with its notes' ids and dates masked."""
    return re.sub(r"(?m)^- \[\w+\] \d{4}-\d\d-\d\d: ", "- [id] date: ", block)


def write_readme(host: Claude | Codex) -> Reply:
    """The model's reply that notes the choice in the project's README."""
    text = "Payments: PayCo, its fees are lower for small carts.\n"
    if isinstance(host, Codex):
        patch = "*** Begin Patch\n*** Update File: README.md\n@@\n A small shop.\n+%s*** End Patch\n" % text
        return Reply(tool="apply_patch", input=patch)
    path = os.path.join(host.desk.project, "README.md")
    return Reply(tool="Write", input={"file_path": path, "content": "# acme-shop\n\nA small shop.\n" + text})
