"""The client and the store against the real Cognee server, with access control on and off; and what no real server can
be made to do, against a scripted one."""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import os
import time
import unittest
from unittest import mock

from memsift.deadline import Deadline
from memsift.longterm import cognee
from memsift.longterm import store
from memsift.longterm.cognee import Cognee
from memsift.longterm.cognee import NotThere
from memsift.longterm.cognee import Upload
from memsift.longterm.queries import MEANING
from memsift.longterm.queries import WORDS
from memsift.longterm.queries import Query
from memsift.remote.service import Failed
from tests import scripted_cognee
from tests import scripted_http
from tests.live import cognee_server
from tests.live import programs
from tests.scripted_cognee import ScriptedCognee
from tests.support import HomeTest

REPOSITORY, OTHER_REPOSITORY = "acme-shop-1f2e3d4c5b", "secret-project-0a0b0c0d0e"
OURS, FOREIGN, HANDBOOK = "memsift-" + REPOSITORY, "memsift-" + OTHER_REPOSITORY, "handbook"
PAYMENTS = "We go with PayCo for payments, its fees are lower for small carts."
CARTS = "The carts stay in Postgres, since Redis lost them at every restart."
SECRET = "The secret project takes its payments through OtherPay."
GUIDE = "Payments in the handbook: refunds are paid within a week."
UNKNOWN = "4ffd1b24-3a7a-4a2f-9ad0-6a3c6a1c0d11"
_started: dict[str, cognee_server.Server] = {}
_filled: set[str] = set()
_stack = contextlib.ExitStack()


def setUpModule() -> None:
    """Start both servers at the same time: most of it is loading. They end even if the tests are interrupted."""
    if os.environ.get("MEMSIFT_LIVE") != "1":
        raise unittest.SkipTest("live test: runs with MEMSIFT_LIVE=1")
    assert programs.cognee_python(), "missing: run python3 -m tests.live.programs"
    atexit.register(_stack.close)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = {name: pool.submit(_stack.enter_context, cognee_server.running(name == "on")) for name in ("on", "off")}
    _started.update((name, each.result()) for name, each in both.items())


def tearDownModule() -> None:
    _stack.close()


class CogneeCase(HomeTest):
    """A test with a client and a store of one of the servers."""

    mode = ""

    def setUp(self) -> None:
        super().setUp()
        self.server = _started[self.mode]
        self.connect(self.server.url, self.server.key)

    def connect(self, url: str, key: str) -> None:
        os.environ.update(MEMSIFT_COGNEE_URL=url, MEMSIFT_COGNEE_KEY=key)
        self.client = Cognee(url, key)
        self.store = store.load(self.runtime())

    def fill(self) -> None:
        """Three datasets with searchable documents, made by the first test of a server that needs them."""
        if self.mode in _filled:
            return
        for name, repository, texts in ((OURS, REPOSITORY, (PAYMENTS, CARTS)), (FOREIGN, OTHER_REPOSITORY, (SECRET,)),
                                        (HANDBOOK, "", (GUIDE,))):
            documents = [Upload("k%d.md" % number, text, {"memsift": "k%d" % number, "date": "2026-01-02"})
                         for number, text in enumerate(texts)]
            added = self.client.add(name, documents, ["memsift", repository] if repository else [], Deadline(60))
            self.assertEqual(set(added.data_ids), {document.name for document in documents})
            self.make_searchable(name, added.dataset_id)
        _filled.add(self.mode)

    def make_searchable(self, name: str, id: str) -> None:
        self.client.cognify([name], Deadline(60))
        self.wait_for(lambda: self.client.status(id, Deadline(60)) in ("completed", "errored"), 240)
        self.assertEqual(self.client.status(id, Deadline(60)), "completed", self.server.log)

    def search(self, *texts: str, datasets: tuple[str, ...] = (OURS,), seconds: float = 60.0) -> list[str] | None:
        with mock.patch.object(store, "SECONDS", 60.0):  # a busy machine is no reason to fail
            asked = [Query(text, by) for text in texts for by in (MEANING, WORDS)]
            found = self.store.search(asked, list(datasets), REPOSITORY, Deadline(seconds))
        return None if found is None else [entry.text for entry in found]

    def id(self, name: str) -> str:
        return next(each.id for each in self.client.datasets(Deadline(60)) if each.name == name)

    def assert_well(self) -> None:
        """Nothing was taken for a failure."""
        self.assertEqual((self.store.paused(), self.log_text()), ([], ""))


class Road:
    """What holds with access control and without."""

    def test_first_day_of_a_repository(self) -> None:
        self.client.add("memsift-first-day", [Upload("k.md", "Not searchable yet.")], [], Deadline(60))
        self.assertEqual(self.search("payments", datasets=("memsift-no-such",)), [])
        if self.mode == "on":
            self.assertEqual(self.search("payments", datasets=("memsift-first-day",)), [])
        self.assert_well()

    def test_note_comes_back_and_nothing_of_another_repository_does(self) -> None:
        self.fill()
        self.assertEqual(set(self.search("payments", "carts")), {PAYMENTS, CARTS})
        entries = self.store.search([Query("payments"), Query("carts")], [OURS], REPOSITORY, Deadline(60))
        self.assertEqual({(entry.id, entry.date) for entry in entries}, {("k0", "2026-01-02"), ("k1", "2026-01-02")})
        asked = "secret project payments"
        self.assertEqual(self.search(asked), self.search(asked, datasets=(OURS, "memsift-no-such")))
        found = self.search("payments", datasets=(OURS, HANDBOOK))
        self.assertEqual(set(found) - {GUIDE}, {PAYMENTS, CARTS})
        self.assertEqual(GUIDE in found, self.mode == "on")  # else nothing tells where it is from
        listed = {each.id for each in self.client.documents(self.id(HANDBOOK), Deadline(60))}
        self.store._known = lambda repository, datasets: listed
        self.assertEqual(set(self.search("payments", datasets=(OURS, HANDBOOK))), {PAYMENTS, CARTS, GUIDE})
        self.assertEqual(set(self.search("payments", datasets=(HANDBOOK,))), {GUIDE})
        self.assert_well()

    def test_document_that_is_deleted_is_not_found(self) -> None:
        name = "memsift-deleting"
        added = self.client.add(name, [Upload("k1.md", PAYMENTS), Upload("k2.md", CARTS)], ["deleting"], Deadline(60))
        again = self.client.add(name, [Upload("k2.md", CARTS), Upload("k1.md", PAYMENTS)], ["deleting"], Deadline(60))
        self.assertEqual(again.data_ids, added.data_ids)
        self.make_searchable(name, added.dataset_id)
        self.assertEqual(self.client.raw(added.dataset_id, added.data_ids["k1.md"], Deadline(60)), PAYMENTS)
        for _ in range(2):
            self.client.forget(added.dataset_id, added.data_ids["k1.md"], Deadline(60))
        self.assertEqual([each.name for each in self.client.documents(added.dataset_id, Deadline(60))], ["k2"])
        found = self.client.search("PayCo payments", [name], 50, Deadline(60), "deleting")
        self.assertNotIn(added.data_ids["k1.md"], [passage.document_id for passage in found])
        with self.assertRaises(NotThere):
            self.client.raw(added.dataset_id, added.data_ids["k1.md"], Deadline(60))

    def test_stale_ids_are_no_failure_of_the_service(self) -> None:
        for act in (lambda client: client.documents(UNKNOWN, Deadline(60)),
                    lambda client: client.status(UNKNOWN, Deadline(60)),
                    lambda client: client.forget(UNKNOWN, UNKNOWN, Deadline(60)),
                    lambda client: client.raw(UNKNOWN, UNKNOWN, Deadline(60))):
            with self.assertRaises(NotThere):
                self.store.attempt("core-upload", act)
        self.assertEqual(self.store.paused(), [])

    def test_text_that_would_hang_or_break_the_server(self) -> None:
        self.fill()
        for text in ("half \ud83d of a payment", "nul \0 payments", "payments " * 2_000, "'\"\\ payments {}\u202e"):
            self.assertEqual(set(self.search(text)), {PAYMENTS, CARTS})
        self.assertEqual(self.search(" \0 "), [])
        self.assert_well()


class WithAccessControl(Road, CogneeCase):
    mode = "on"

    def test_wrong_key_pauses_at_once_and_says_so(self) -> None:
        self.connect(self.server.url, "wrong" * 8)
        self.assertIsNone(self.search("payments"))
        pause, = self.store.paused()
        self.assertIn("it refuses the key (Authentication required", pause.reason)
        self.assertNotIn("wrong" * 8, self.log_text())

    def test_every_document_of_a_long_list(self) -> None:
        documents = [Upload("k%03d.md" % number, "Note %d of a long list." % number) for number in range(130)]
        added = self.client.add("memsift-long", documents, [], Deadline(120))
        for page in (cognee._PAGE, 60):
            with mock.patch.object(cognee, "_PAGE", page):
                listed = self.client.documents(added.dataset_id, Deadline(60))
            self.assertEqual({each.name + ".md": each.id for each in listed}, added.data_ids)
            self.assertEqual(len(listed), 130)

    def test_name_that_the_server_refuses_is_told(self) -> None:
        with self.assertRaises(Failed) as caught:
            self.client.add("acme shop", [Upload("k.md", CARTS)], [], Deadline(60))
        self.assertIn("cannot contain spaces or dots", caught.exception.message)


class WithoutAccessControl(Road, CogneeCase):
    mode = "off"


class Scripted(HomeTest):
    """What the real server cannot be made to do."""

    def start(self, **how: object) -> ScriptedCognee:
        server = ScriptedCognee(**how)
        self.addCleanup(server.__exit__)
        server.__enter__()
        os.environ.update(MEMSIFT_COGNEE_URL=server.url, MEMSIFT_COGNEE_KEY=server.key)
        self.store = store.load(self.runtime())
        return server

    def search(self, seconds: float) -> list | None:
        return self.store.search([Query("payments"), Query("carts")], [OURS], REPOSITORY, Deadline(seconds))

    def test_server_that_hangs_for_two_minutes_is_left_at_the_deadline(self) -> None:
        for seconds, waited in ((2.0, 2.0), (60.0, 12.0)):
            self.start().meet("/api/v1/search", scripted_http.after(120, scripted_http.answers([])))
            started = time.monotonic()
            self.assertIsNone(self.search(seconds))
            self.assertTrue(waited - 0.1 < time.monotonic() - started < waited + 3, time.monotonic() - started)
            self.assertRegex(self.log_text(),
                             r"ERROR core-prompt cognee status=0 duration=[0-9.]+ \S+ gave no answer within")

    def test_server_that_is_down_is_paused_after_three_prompts(self) -> None:
        self.start().__exit__()
        for _ in range(3):
            self.assertEqual((self.store.paused(), self.search(12.0)), ([], None))
        self.assertIn("refused", self.store.paused()[0].reason)

    def test_redirects_credits_and_short_pages(self) -> None:
        server = self.start(redirects=True, page=100)
        for number in range(250):
            server.put(OURS, "k%d" % number, "text %d" % number)
        client = Cognee(server.url, server.key)
        found, = client.datasets(Deadline(20))
        self.assertEqual(len(client.documents(found.id, Deadline(20))), 250)
        server.meet("/api/v1/search", scripted_cognee.status(scripted_cognee.NO_CREDITS))
        self.assertIsNone(self.search(12.0))
        self.assertIn("credits of this Cognee account are used up", self.log_text())


if __name__ == "__main__":
    unittest.main()
