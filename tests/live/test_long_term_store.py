"""What a real Cognee server holds reaches the prompt of both real hosts, through the worker that keeps it up to date."""

from __future__ import annotations

import contextlib
import os
import unittest

from memsift.archive.archive import Archive
from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.home import Home
from memsift.longterm import outbox
from memsift.longterm.cognee import Cognee
from memsift.longterm.cognee import Upload
from tests.live import cognee_server
from tests.live import programs
from tests.live.case import CHOICE
from tests.live.case import CHOICE_QUESTION
from tests.live.case import GO_AHEAD
from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.codex import Codex

FACT = CHOICE.split(". ")[0] + "."
NEWER = "We go with OtherPay for payments, PayCo raised its fees for small carts."
ANSWER = "It is in the notes."


def setUpModule() -> None:
    if os.environ.get("MEMSIFT_LIVE") != "1":
        raise unittest.SkipTest("live test: runs with MEMSIFT_LIVE=1")
    assert programs.cognee_python(), "missing: run python3 -m tests.live.programs"


class Road:
    """What holds with access control and without it."""

    access_control = True

    @classmethod
    def setUpClass(cls) -> None:
        running = cognee_server.running(cls.access_control)
        cls.server = running.__enter__()
        cls.addClassCleanup(running.__exit__, None, None, None)

    def setUp(self) -> None:
        super().setUp()
        self.client = Cognee(self.server.url, self.server.key)
        self.empty_the_server()
        folder = os.path.join(self.desk.home, ".cognee")
        os.mkdir(folder)
        with open(os.path.join(folder, ".env"), "w", encoding="utf-8") as file:
            file.write("export COGNEE_BASE_URL='%s'\nCOGNEE_API_KEY=%s\n" % (self.server.url, self.server.key))

    def empty_the_server(self) -> None:
        for dataset in self.client.datasets(Deadline(60)):
            for document in self.client.documents(dataset.id, Deadline(60)):
                self.client.forget(dataset.id, document.id, Deadline(60))

    def fill(self, dataset: str, *texts: str) -> None:
        """What the user had in the server before memsift came."""
        added = self.client.add(dataset, [Upload("d%d.md" % n, text) for n, text in enumerate(texts)], [], Deadline(60))
        self.client.cognify([dataset], Deadline(60))
        self.memory.wait_for(lambda: self.client.status(added.dataset_id, Deadline(60)) == "completed", 90)

    def texts(self, dataset: str) -> list[str]:
        """What the documents of a dataset say, without the line at their end that memsift adds."""
        ids = [each.id for each in self.client.datasets(Deadline(60)) if each.name == dataset]
        return [self.client.raw(id, each.id, Deadline(60)).partition("\n\n[")[0]
                for id in ids for each in self.client.documents(id, Deadline(60))]

    def repository(self) -> str:
        name, = os.listdir(os.path.join(self.memory.folder, "repos"))
        return name

    def added_by(self, host: Claude | Codex, question: str = CHOICE_QUESTION) -> str:
        """What memsift adds to a question in a new session."""
        host.say(question, ANSWER)
        self.settle()
        return "\n".join(host.added())

    def test_what_a_user_had_in_cognee_before_reaches_both_hosts(self) -> None:
        self.fill("acme-decisions", FACT, "The carts stay in Postgres.", "Deploys happen on Tuesdays.")
        self.claude.say("Hello", "Hello.")  # the first session finds out what there is
        self.settle()
        with open(os.path.join(self.memory.folder, "datasets.md"), encoding="utf-8") as file:
            self.assertIn("- acme-decisions: documents about acme decisions", file.read())
        for host in (self.claude, self.codex):
            with self.subTest(host.name):
                self.assertIn(FACT, self.added_by(host))
                self.assertIn("passages", self.memory.decisions("core-prompt")[-1]["store"])
                self.assertEqual(self.added_by(host, GO_AHEAD), "")
                self.assertEqual(self.memory.decisions("core-prompt")[-1]["store"], "")

    def test_entry_is_sent_found_on_another_machine_replaced_and_forgotten(self) -> None:
        self.claude.say("Hello", "Hello.")
        self.settle()
        repository, home = self.repository(), Home(self.memory.folder)
        dataset = "memsift-" + repository
        outbox.put(home, repository, [Entry("k0000000001", "2026-11-01", FACT, said="developer")])
        self.claude.say("Hello again", "Hello.")  # the worker after it sends the packet
        self.settle()
        self.assertEqual(([len(outbox.waiting(home, repository))], self.texts(dataset)), ([0], [FACT]))
        self.assertFalse(Archive(home.archive(repository)).ids() - {"k0000000001"})
        self.wait_until_found(dataset, FACT)
        self.forget_on_this_machine(home, repository)
        self.claude.say("Hello once more", "Hello.")
        self.settle()
        self.assertIn("- [k0000000001] 2026-11-01: " + FACT, self.added_by(self.claude))

        outbox.put(home, repository, [Entry("k0000000002", "2026-11-02", NEWER, replaces="k0000000001")], ["k0000000001"])
        self.codex.say("Hello", "Hello.")
        self.settle()
        self.assertEqual(self.texts(dataset), [NEWER])
        self.wait_until_found(dataset, NEWER)
        self.forget_on_this_machine(home, repository)
        block = self.added_by(self.codex)
        self.assertIn(NEWER, block)
        self.assertNotIn(FACT, block)

        outbox.put(home, repository, [], ["k0000000002"])
        self.claude.say("Hello", "Hello.")
        self.settle()
        self.forget_on_this_machine(home, repository)
        self.assertEqual((self.texts(dataset), self.added_by(self.claude)), ([], ""))

    def wait_until_found(self, dataset: str, text: str) -> None:
        """The server processes in its own time what it was sent."""
        def is_found() -> bool:
            found = self.client.search(text, [dataset], 20, Deadline(60))
            return any(passage.text.startswith(text) for passage in found)
        self.assertTrue(self.memory.wait_for(is_found, 90))

    def forget_on_this_machine(self, home: Home, repository: str) -> None:
        """As if this were another machine, which shares the server only."""
        for path in (home.archive(repository), home.digest(repository), home.draft(repository)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(home.archive(repository) + suffix)


class WithAccessControlTest(Road, LiveCase):
    pass


class WithoutAccessControlTest(Road, LiveCase):
    access_control = False


if __name__ == "__main__":
    unittest.main()
