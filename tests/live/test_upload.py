"""Packets on their way to the real Cognee server, which is killed while it processes them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
import unittest
from unittest import mock

from memsift import worker
from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.longterm import cognee
from memsift.longterm import cognee_index
from memsift.longterm import datasets
from memsift.longterm import document
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import store
from memsift.longterm import upload
from memsift.longterm.queries import Query
from memsift.remote.service import Failed
from tests.live import cognee_models
from tests.live import cognee_server
from tests.live import programs
from tests.support import HomeTest

MANY, FEW = "acme-shop-1f2e3d4c5b", "acme-till-0a1b2c3d4e"
DOCUMENTS = 130  # more than a page of the server's listing has by default
PAYMENTS = "We go with PayCo for payments, its fees are lower for small carts."
CARTS = "The carts stay in Postgres, since Redis lost them at every restart."
FORGOTTEN = "The till prints receipts on paper of 58 mm."


def rule(number: int) -> Entry:
    return Entry("k%03d" % number, "2026-11-30", "Worker %d of acme-shop has port %d." % (number, 8000 + number))


class UploadToTheRealServer(HomeTest):
    def setUp(self) -> None:
        if os.environ.get("MEMSIFT_LIVE") != "1":
            self.skipTest("live test: runs with MEMSIFT_LIVE=1")
        self.assertTrue(programs.cognee_python(), "missing: run python3 -m tests.live.programs")
        installed = programs.folder()
        super().setUp()
        os.environ["MEMSIFT_LIVE_CACHE"] = installed  # it lies in the real home
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.stores = tempfile.mkdtemp(prefix="memsift-cognee-")
        self.stack.callback(shutil.rmtree, self.stores, ignore_errors=True)
        self.models = self.stack.enter_context(cognee_models.running())

    def start(self) -> None:
        self.server = self.stack.enter_context(cognee_server.served(self.stores, self.models))
        os.environ.update(MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=self.server.key)
        self.client = cognee.client(self.runtime().settings)

    def dataset_id(self, repository: str) -> str:
        name = datasets.own(repository)
        return next(each.id for each in self.client.datasets(Deadline(60)) if each.name == name)

    def held(self, repository: str) -> list[cognee.Document]:
        return self.client.documents(self.dataset_id(repository), Deadline(60))

    def status(self, repository: str) -> str:
        return self.client.status(self.dataset_id(repository), Deadline(60))

    def send(self, repository: str, *entries: Entry, forget: tuple[str, ...] = ()) -> upload.Report:
        outbox.put(self.home, repository, list(entries), forget)
        return upload.drain(repository, self.runtime(300))

    def lose_patience(self, repository: str) -> None:
        """Have the last try be so long ago that the server must have stopped."""
        processing.write(self.home, repository, processing.Unprocessed(time.time() - processing.PATIENCE_SECONDS))

    def found(self, text: str) -> list[Entry]:
        return store.load(self.runtime()).search([Query(text)], [datasets.own(FEW)], FEW, Deadline(60)) or []

    def test_from_the_outbox_into_the_store_through_a_kill(self) -> None:
        self.start()
        few = [Entry("p1", "2026-11-30", PAYMENTS, ["pay.py"], "developer"), Entry("c1", "2026-11-30", CARTS), Entry("f1", "", FORGOTTEN)]
        self.assertEqual(self.send(FEW, *few).waiting, 0)
        os.kill(self.server.pid, signal.SIGKILL)
        self.assertEqual(self.send(FEW, forget=("f1",)).waiting, 1)
        self.start()
        self.assertEqual(self.status(FEW), "started")  # it does not know that it was killed
        self.check_that_processing_is_repaired()
        errors = [line for line in self.log_text().splitlines() if " ERROR " in line]
        self.assertEqual(len(errors), 2, errors)  # of the time without a server, and of the repair
        self.check_that_all_is_stored_once()

    def check_that_processing_is_repaired(self) -> None:
        self.lose_patience(FEW)
        worker.work(FEW, self.runtime(300))  # deletes what was forgotten, and has the rest processed
        self.wait_for(lambda: self.status(FEW) != "started", 240)
        cognee_index.write(self.home, FEW, self.server.url, 0.0, [], {})  # as if it were long ago
        worker.work(FEW, self.runtime(300))
        self.assertEqual((self.status(FEW), processing.load(self.home, FEW)), ("completed", None))
        self.assertEqual(sorted(each.name for each in cognee_index.documents(self.home, FEW, datasets.own(FEW))), ["c1", "p1"])
        self.assertEqual(datasets.purposes(self.home, FEW), {datasets.own(FEW): datasets.OWN_PURPOSE})
        self.assertFalse(os.path.exists(self.home.datasets))  # none but memsift's own
        best = self.found("Which provider takes our payments?")[0]
        self.assertEqual((best.id, best.text, best.date, best.said, best.files), ("p1", PAYMENTS, "2026-11-30", "developer", ["pay.py"]))
        self.assertNotIn(FORGOTTEN, [entry.text for entry in self.found(FORGOTTEN)])

    def check_that_all_is_stored_once(self) -> None:
        with mock.patch.object(upload, "process", side_effect=Failed(0, "cut off")):
            self.assertEqual(self.send(MANY, *[rule(number) for number in range(DOCUMENTS)]).waiting, 4)
        self.assertEqual(len(self.held(MANY)), DOCUMENTS)
        changed = [Entry("k000", "2026-11-30", PAYMENTS), Entry("a.b", "", "An id with a dot.")]
        report = self.send(MANY, *changed, forget=("k001",))  # and all the others once more
        self.assertEqual((report.sent, report.deleted, report.waiting, report.problem), (DOCUMENTS, 2, 0, ""))
        held = self.held(MANY)
        self.assertEqual(sorted(each.name for each in held),
                         ["a.b", "k000"] + [rule(number).id for number in range(2, DOCUMENTS)])
        texts = {each.name: self.client.raw(self.dataset_id(MANY), each.id, Deadline(60)) for each in held if each.name in ("k000", "a.b")}
        self.assertEqual({name: document.words(text, name) for name, text in texts.items()},
                         {"k000": PAYMENTS, "a.b": "An id with a dot."})
        self.assertEqual((self.status(MANY), self.send(MANY, rule(1)).waiting), ("started", 1))  # left in peace


if __name__ == "__main__":
    unittest.main()
