import os
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from memsift.deadline import Deadline
from memsift.longterm import cognee_index
from memsift.longterm import store
from memsift.longterm.queries import WORDS
from memsift.longterm.queries import Query
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed
from tests import scripted_cognee
from tests import scripted_http
from tests.scripted_cognee import KEY
from tests.scripted_cognee import ScriptedCognee
from tests.support import ROOT
from tests.support import HomeTest

REPOSITORY = "acme-shop-1f2e3d4c5b"
OURS, HANDBOOK, FOREIGN = "memsift-" + REPOSITORY, "handbook", "memsift-secret-project-0a0b0c0d0e"
TAGS = ["memsift", REPOSITORY]
PAYMENTS, CARTS = "We go with PayCo for payments.", "The carts stay in Postgres."


class StoreTest(HomeTest):
    def start(self, known=None, **how):
        self.server = ScriptedCognee(**how)
        self.addCleanup(self.server.__exit__)
        self.server.__enter__()
        os.environ.update(MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=KEY)
        self.store = store.load(self.runtime())
        if known is not None:
            self.store = store.Store(self.store._connect, self.store._guard, known)
        return self.server

    def fill(self, *datasets):
        for name in datasets or (OURS, HANDBOOK, FOREIGN):
            if name == OURS:
                self.server.put(OURS, "k1", PAYMENTS, TAGS, {"memsift": "k1"})
                self.server.put(OURS, "k2", CARTS, TAGS, {"memsift": "k2"})
            elif name == HANDBOOK:
                self.server.put(HANDBOOK, "pay", "Payments are due in May.")
            else:
                self.server.put(FOREIGN, "k3", "payments of the secret project", ["memsift", FOREIGN[8:]], {"memsift": "k3"})

    def search(self, *texts, datasets=(OURS,), seconds=20.0):
        found = self.store.search([Query(text) for text in texts], list(datasets), REPOSITORY, Deadline(seconds))
        return found if found is None else [entry.text for entry in found]

    def failures(self):
        return Pauses(self.home.state)._service(Pauses(self.home.state)._read(), "cognee")["failures"]


class Searched(StoreTest):
    def test_passages_are_entries_that_the_store_holds(self):
        self.start()
        self.fill()
        found, _ = self.store.search([Query("payments")], [OURS], REPOSITORY, Deadline(20))
        self.assertEqual((found.id, found.text, found.place), ("k1", PAYMENTS, "cognee"))

    def test_without_a_server_there_is_no_store(self):
        self.assertIsNone(store.load(self.runtime()))

    def test_nothing_to_ask_asks_nothing(self):
        self.start()
        for texts, datasets in (([], [OURS]), ([" "], [OURS]), (["payments"], [])):
            self.assertEqual(self.search(*texts, datasets=datasets), [])
        self.assertEqual(self.server.requests, [])

    def test_first_day_of_a_repository_is_no_failure(self):
        for version in ("1.6.5", "1.0.9"):
            self.start(version=version)
            self.assertEqual(self.search("payments"), [])
            self.server.put(OURS, "k1", PAYMENTS, is_searchable=False)
            self.assertEqual(self.search("payments"), [])
        self.assertEqual((self.failures(), self.log_text()), (0, ""))

    def test_texts_are_searched_at_the_same_time(self):
        self.start()
        self.fill()
        together = threading.Barrier(3, timeout=10)

        def wait(connection, request):
            together.wait()
            self.server._act(connection, request)
        self.server.meet("/api/v1/search", wait, times=3)
        found = self.search("payments", "carts", "postgres")
        self.assertEqual(found, [CARTS, PAYMENTS])

    def test_each_query_is_made_in_its_own_way(self):
        self.start()
        self.fill()
        found = self.store.search([Query("where are carts"), Query("carts cart", WORDS)], [OURS], REPOSITORY, Deadline(20))
        self.assertEqual({(search["query"], search["search_type"]) for search in self.server.searches},
                         {("where are carts", "CHUNKS"), ("carts cart", "CHUNKS_LEXICAL")})
        self.assertEqual(found[0].text, CARTS)

    def test_one_text_that_fails_takes_nothing_from_the_others(self):
        for act, status in ((scripted_http.answers({"detail": "busy"}, "503 Service Unavailable"), 503), (scripted_http.hang, 0)):
            self.start()
            self.fill()
            self.server.meet("/api/v1/search", act, times=1)
            self.assertEqual(set(self.search("payments", "carts", seconds=1.0)), {PAYMENTS, CARTS})
            self.assertIn("ERROR core-prompt cognee status=%d duration=" % status, self.log_text())
            self.assertEqual(self.failures(), 0)

    def test_long_passages_fit_what_may_be_added(self):
        self.start()
        self.server.put(HANDBOOK, "guide", "Payments are explained here. " * 300)
        for text in self.search("payments", datasets=[HANDBOOK]):
            self.assertLessEqual(len(text), 900)


class Guarded(StoreTest):
    def test_another_repositorys_notes_never_come_through(self):
        for how in ({}, {"access_control": False}, {"version": "1.0.9"}, {"version": "1.0.9", "access_control": False}):
            with self.subTest(how):
                self.start(**how)
                self.fill()
                self.assertEqual(self.search("payments"), [PAYMENTS, CARTS])

    def test_note_that_foreign_passages_crowd_out_is_found_by_its_tag(self):
        self.start(access_control=False)
        self.fill()
        for number in range(30):
            self.server.put(FOREIGN, "f%d" % number, "payments payments %d" % number, ["memsift", "other"])
        self.assertEqual(self.search("payments 7"), [PAYMENTS, CARTS])
        self.assertEqual([search.get("node_name") for search in self.server.searches], [None, [REPOSITORY]])

    def test_with_access_control_one_request_is_enough(self):
        self.start()
        self.fill()
        self.search("payments")
        self.assertEqual(len(self.server.requests), 1)

    def test_documents_of_the_users_own_datasets_come_through_where_they_are_known(self):
        for access_control in (True, False):
            self.start(access_control=access_control, known=lambda repository, names: {
                document.id for each in self.server.datasets if each.name in names for document in each.documents})
            self.fill()
            self.assertEqual(self.search("payments", datasets=[HANDBOOK]), ["Payments are due in May."])
            self.assertEqual(set(self.search("payments", datasets=[OURS, HANDBOOK])),
                             {PAYMENTS, CARTS, "Payments are due in May."})

    def test_known_documents_are_those_of_the_index(self):
        self.start(access_control=False)
        self.fill()
        with mock.patch.object(cognee_index, "document_ids", lambda home, repository, names: {
                document.id for each in self.server.datasets if each.name in names for document in each.documents}):
            self.assertEqual(self.search("payments", datasets=[HANDBOOK]), ["Payments are due in May."])
        with mock.patch.object(cognee_index, "document_ids", side_effect=OSError("no")):
            self.assertEqual(self.search("payments", datasets=[HANDBOOK]), [])
        self.assertIn("index of the store", self.log_text())

    def test_what_nothing_places_is_dropped(self):
        self.start(access_control=False, known=lambda repository, names: ())
        self.fill()
        self.assertEqual(self.search("payments", datasets=[HANDBOOK]), [])

    def test_envelope_of_a_dataset_that_was_not_asked_is_dropped(self):
        self.start()
        answer = [{"dataset_id": "1", "dataset_name": name, "search_result": [{"text": "of " + name, "belongs_to_set": TAGS}]}
                  for name in (OURS, FOREIGN)]
        self.server.meet("/api/v1/search", scripted_http.answers(answer))
        self.assertEqual(self.search("payments"), ["of " + OURS])

    def test_tag_does_not_help_where_the_own_dataset_was_not_asked(self):
        self.start(access_control=False, known=lambda repository, names: ())
        self.fill()
        self.assertEqual(self.search("payments", datasets=[HANDBOOK]), [])


class Failing(StoreTest):
    def test_server_that_hangs_is_left_at_the_deadline_and_counted_once_a_prompt(self):
        self.start()
        self.server.meet("/api/v1/search", scripted_http.hang)
        for failures in (1, 2, 3):
            started = time.monotonic()
            self.assertIsNone(self.search("payments", "carts", seconds=0.4))
            self.assertLess(time.monotonic() - started, 5)
            self.assertEqual(self.failures(), failures)
        self.assertRegex(self.log_text(), r"(?m)ERROR core-prompt cognee status=0 duration=0\.[0-9]{3} .* gave no answer within 0\.4 s$")
        pause, = self.store.paused()
        self.assertEqual(pause.service, "cognee")
        before = len(self.server.requests)
        self.assertIsNone(self.search("payments"))
        self.assertEqual(len(self.server.requests), before)

    def test_query_by_words_that_takes_long_is_left_when_the_one_by_meaning_is_answered(self):
        self.start()
        self.fill()

        client, over = self.store._connect(), threading.Event()
        self.addCleanup(over.set)

        class Late:
            def search(self, text, datasets, most, deadline, tag="", by=""):
                if by == WORDS:
                    over.wait(15)
                return client.search(text, datasets, most, deadline, tag, by)

        self.store._connect = Late
        started = time.monotonic()
        with mock.patch.object(store, "_PATIENCE", 0.2):
            found = self.store.search([Query("payments"), Query("payments", WORDS)], [OURS], REPOSITORY, Deadline(20))
        self.assertEqual([entry.text for entry in found][:1], [PAYMENTS])
        self.assertLess(time.monotonic() - started, 10)
        self.assertIn("no answer in time", self.log_text())
        self.assertEqual(self.failures(), 0)

    def test_wait_is_never_longer_than_twelve_seconds(self):
        self.start()
        seen = []
        client = self.store._connect()

        class Listening:
            def search(self, text, datasets, most, deadline, tag="", by=""):
                seen.append(deadline.remaining())
                return client.search(text, datasets, most, deadline, tag, by)
        store.Store(Listening, self.store._guard).search([Query("payments")], [OURS], REPOSITORY, Deadline(100))
        self.assertEqual([11 < seconds <= 12 for seconds in seen], [True])

    def test_prompt_that_has_no_time_left_is_no_failure_of_the_server(self):
        self.start()
        self.assertIsNone(self.search("payments", seconds=0.0))
        self.assertEqual((self.server.requests, self.failures(), self.log_text()), ([], 0, ""))

    def test_refused_key_pauses_at_once(self):
        self.start(key="another")
        self.assertIsNone(self.search("payments", "carts"))
        pause, = self.store.paused()
        self.assertIn("it refuses the key", pause.reason)

    def test_dataset_that_may_not_be_read_pauses_nothing(self):
        self.start()
        self.server.meet("/api/v1/search", scripted_cognee.status(scripted_cognee.NO_PERMISSION))
        for _ in range(4):
            self.assertEqual(self.search("payments"), [])
        self.assertEqual((self.store.paused(), self.failures()), ([], 0))

    def test_used_up_credits_are_told_in_their_own_words(self):
        self.start()
        self.server.meet("/api/v1/search", scripted_cognee.status(scripted_cognee.NO_CREDITS))
        for _ in range(3):
            self.assertIsNone(self.search("payments"))
        self.assertIn("the credits of this Cognee account are used up", self.store.paused()[0].reason)
        self.assertIn("ERROR core-prompt cognee status=402", self.log_text())

    def test_being_told_to_slow_down_is_logged_and_does_not_count(self):
        self.start()
        for line in ("429 Too Many Requests", "529 Overloaded"):
            self.server.behave()
            self.server.meet("/api/v1/search", scripted_http.answers({}, line))
            self.assertIsNone(self.search("payments"))
            self.assertIn("cognee status=%s" % line[:3], self.log_text())
        self.assertEqual(self.failures(), 0)

    def test_success_resets_the_count(self):
        self.start()
        self.server.meet("/api/v1/search", scripted_http.answers({}, "503 Service Unavailable"), times=2)
        self.assertEqual([self.search("payments") for _ in range(3)], [None, None, []])
        self.assertEqual(self.failures(), 0)


class Attempted(StoreTest):
    def test_worker_gets_what_it_asked_for_and_is_counted(self):
        self.start()
        self.fill(OURS)
        found = self.store.attempt("core-upload", lambda client: client.datasets(Deadline(20)))
        self.assertEqual([each.name for each in found], [OURS])
        self.server.meet("/", scripted_http.answers({}, "503 Service Unavailable"))
        for _ in range(3):
            with self.assertRaises(Failed):
                self.store.attempt("core-upload", lambda client: client.datasets(Deadline(20)))
        self.assertIn("ERROR core-upload cognee status=503", self.log_text())
        before = len(self.server.requests)
        with self.assertRaises(Failed):
            self.store.attempt("core-upload", lambda client: client.datasets(Deadline(20)))
        self.assertEqual(len(self.server.requests), before)

    def test_stale_id_is_raised_and_not_counted(self):
        self.start()
        stale = "4ffd1b24-3a7a-4a2f-9ad0-6a3c6a1c0d11"
        with self.assertRaises(Failed) as caught:
            self.store.attempt("core-upload", lambda client: client.documents(stale, Deadline(20)))
        self.assertEqual((type(caught.exception).__name__, self.store.paused(), self.failures()), ("NotThere", [], 0))


class Cheap(unittest.TestCase):
    def test_prompt_that_only_looks_for_a_pause_loads_no_client(self):
        code = ("import sys; sys.path.insert(0, %r); import memsift.longterm.store; "
                "print([name for name in ('socket', 'threading', 'memsift.longterm.cognee', 'memsift.remote.transport', 'hashlib') "
                "if name in sys.modules])" % ROOT)
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode().strip(), "[]")


if __name__ == "__main__":
    unittest.main()
