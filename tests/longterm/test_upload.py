import os
import unittest
from unittest import mock

from memsift import files
from memsift import lock
from memsift.entry import Entry
from memsift.longterm import document
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import upload
from memsift.remote.pauses import Pauses
from tests import scripted_http
from tests.scripted_cognee import NO_KEY
from tests.scripted_cognee import ScriptedCognee
from tests.scripted_cognee import read_form
from tests.scripted_cognee import status
from tests.support import HomeTest

NAME = "acme-shop-0123456789"
OWN = "memsift-" + NAME
KEY = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2
BROKEN = ("500 Internal Server Error", {"error": "Internal server error"})


def entry(id, text="We go with PayCo for payments.", **facts):
    return Entry(id, "2026-11-30", text, **facts)


class StoreTest(HomeTest):
    """A test with a scripted Cognee server, which the settings name."""

    def setUp(self):
        super().setUp()
        self.server = ScriptedCognee()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)
        os.environ.update(MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=self.server.key)

    def put(self, *entries, forget=()):
        return outbox.put(self.home, NAME, list(entries), forget)

    def drain(self, **settings):
        return upload.drain(NAME, self.runtime(300), **settings)

    def waiting(self):
        return outbox.waiting(self.home, NAME)

    def held(self):
        """The words of each document of the repository's dataset, by name."""
        found = [each for each in self.server.datasets if each.name == OWN]
        return sorted((each.name, document.words(each.text, each.name)) for dataset in found for each in dataset.documents)

    def pause(self):
        return Pauses(self.home.state).of("cognee")


class Upload(StoreTest):
    def test_each_entry_becomes_one_document_with_its_facts_and_tags(self):
        self.put(entry("k1", files=["a.py"], said="developer", turn="s/t"), entry("k2", "Redis holds the carts.", replaces="k0"))
        report = self.drain()
        self.assertEqual((report.sent, report.waiting, report.problem), (2, 0, ""))
        self.assertEqual(self.held(), [("k1", "We go with PayCo for payments."), ("k2", "Redis holds the carts.")])
        first = self.server.datasets[0].documents[0]
        self.assertEqual((first.tags, first.is_searchable), (["memsift", NAME], True))
        self.assertEqual(first.metadata, {"memsift": "k1", "date": "2026-11-30", "said": "developer", "turn": "s/t", "files": ["a.py"]})
        self.assertEqual(self.waiting(), [])

    def test_one_request_for_each_packet_and_one_cognify(self):
        self.put(*[entry("k%03d" % i, "Rule %d." % i) for i in range(130)])
        self.assertEqual(self.drain().sent, 130)
        self.assertEqual(self.server.paths.count("POST /api/v1/add"), 4)
        self.assertEqual(self.server.paths.count("POST /api/v1/cognify"), 1)
        self.assertEqual([len(read_form(request)[1]) for request in self.server.requests if "/add" in request.line], [40, 40, 40, 10])
        self.assertEqual(len(self.held()), 130)

    def test_sending_twice_stores_once(self):
        for _ in range(2):
            self.put(entry("k1"), entry("k2", "Redis holds the carts."))
            self.drain()
        self.assertEqual([name for name, _ in self.held()], ["k1", "k2"])

    def test_entries_of_the_same_words_are_two_documents(self):
        """Else forgetting one of them would take the other along."""
        self.put(entry("k1"), entry("k2"))
        self.drain()
        self.put(forget=["k1"])
        self.assertEqual(self.drain().deleted, 1)
        self.assertEqual([name for name, _ in self.held()], ["k2"])

    def test_edited_entry_takes_the_place_of_its_older_document(self):
        self.put(entry("k1"))
        self.drain()
        self.put(entry("k1", "We go with Stripely."))
        self.assertEqual(self.drain().deleted, 1)
        self.assertEqual(self.held(), [("k1", "We go with Stripely.")])
        self.put(entry("k1"))
        self.drain()
        self.assertEqual(self.held(), [("k1", "We go with PayCo for payments.")])

    def test_older_document_goes_only_after_the_new_one_is_there(self):
        self.put(entry("k1"))
        self.drain()
        self.put(entry("k1", "We go with Stripely."))
        self.server.meet("/api/v1/add", status(BROKEN))
        self.assertEqual(self.drain().waiting, 1)
        self.assertEqual(self.held(), [("k1", "We go with PayCo for payments.")])

    def test_replaced_entry_is_deleted_also_on_the_way_there(self):
        self.put(entry("k1"), entry("k2", "Stripely it is.", replaces="k1"), forget=["k0"])
        self.put(entry("k3", "Back to PayCo.", replaces="k2"), forget=["k1", "k2"])
        self.drain()
        self.assertEqual([name for name, _ in self.held()], ["k3"])

    def test_newest_of_several_waiting_words_of_an_entry_counts(self):
        self.put(entry("k1", "First."))
        self.put(entry("k1", "Second."))
        self.put(entry("k1", "First."))
        self.drain()
        self.assertEqual(self.held(), [("k1", "First.")])

    def test_forgetting_what_was_never_sent_calls_for_nothing_to_be_stored(self):
        self.put(forget=["k1"])
        self.drain()
        self.assertEqual((self.waiting(), self.server.datasets), ([], []))
        self.assertNotIn("POST /api/v1/cognify", self.server.paths)

    def test_document_that_somebody_else_deleted_is_no_failure(self):
        self.put(entry("k1"))
        self.drain()
        self.server.meet("/api/v1/datasets/%s/data/" % self.server.id(OWN), status(
            ("404 Not Found", {"detail": "Data (1) not found in dataset (2). [DataNotFoundError]"})))
        self.put(forget=["k1"])
        self.assertEqual((self.drain().problem, self.waiting(), self.pause()), ("", [], None))

    def test_nothing_is_called_without_packets_without_a_server_or_while_paused(self):
        self.drain()
        self.put(entry("k1"))
        with mock.patch.dict(os.environ, {"MEMSIFT_COGNEE_URL": ""}):
            self.assertEqual(self.drain().waiting, 1)
        Pauses(self.home.state).failed("cognee", 401, "refused")
        report = self.drain()
        self.assertEqual((report.waiting, self.server.requests), (1, []))
        self.assertIn("paused", report.problem)

    def test_packet_stays_until_processing_was_accepted(self):
        self.put(entry("k1"))
        self.server.meet("/api/v1/cognify", status(BROKEN), times=1)
        self.assertEqual(self.drain().waiting, 1)
        self.assertIn("ERROR core-upload cognee status=500", self.log_text())
        self.assertEqual(self.drain().waiting, 0)
        self.assertEqual(len(self.held()), 1)

    def test_dead_server_costs_one_call_at_a_time_and_pauses_after_three(self):
        self.put(*[entry("k%03d" % i) for i in range(100)])
        self.server.meet("/", scripted_http.raw(b""))
        for turn in range(1, 4):
            self.drain()
            self.assertEqual((len(self.server.requests), self.pause() is not None), (turn, turn == 3))
        self.drain()
        self.assertEqual((len(self.server.requests), len(self.waiting())), (3, 3))

    def test_refused_key_pauses_at_once(self):
        self.put(entry("k1"))
        self.server.meet("/", status(NO_KEY))
        self.drain()
        self.assertIn("refuses the key", self.pause().reason)
        self.assertEqual(len(self.waiting()), 1)

    def test_packet_that_the_server_does_not_take_stops_no_other(self):
        for refusal in (("422 Unprocessable Entity", {"detail": "no"}), BROKEN):
            with ScriptedCognee() as server, mock.patch.dict(os.environ, {"MEMSIFT_COGNEE_URL": server.url}):
                self.put(entry("k1"))
                self.put(entry("k2", "Redis holds the carts."))
                server.meet("/api/v1/add", status(refusal), times=1)
                self.assertEqual((self.drain().waiting, len(server.texts(OWN))), (1, 1))
                self.assertIn("is not taken", self.log_text())
                self.assertIsNone(self.pause())
                self.assertEqual(self.drain().waiting, 0)

    def test_dataset_that_takes_nothing_at_all_does_not_pause_the_service(self):
        """A server that was killed while it wrote may have a broken one; the others are well."""
        self.put(*[entry("k%03d" % i, "Rule %d." % i) for i in range(400)])
        self.server.meet("/api/v1/add", status(BROKEN))
        for _ in range(3):
            before = len(self.server.requests)
            self.assertEqual(self.drain().waiting, 10)
            self.assertLess(len(self.server.requests) - before, 15)
        self.assertIsNone(self.pause())

    def test_broken_packet_stays_is_logged_and_stops_no_other(self):
        self.put(entry("k1"))
        path = os.path.join(self.home.outbox(NAME), "torn.json")
        files.write_text(path, '{"version": 1, "entr')
        self.drain()
        self.assertEqual(len(self.held()), 1)
        self.assertTrue(os.path.exists(path))
        self.assertIn("torn.json of %s is broken (not JSON)" % NAME, self.log_text())

    def test_server_that_still_processes_is_left_in_peace(self):
        """It would take nothing in before it is done, and be taken for dead."""
        self.server.delays_cognify = True
        self.put(entry("k1"))
        self.drain()
        self.put(entry("k2", "Redis holds the carts."))
        report = self.drain()
        self.assertEqual((report.waiting, self.server.paths.count("POST /api/v1/add")), (1, 1))
        self.assertIn("still processes", report.problem)
        self.server.finish()
        self.assertEqual(self.drain().waiting, 0)

    def test_processing_that_never_ends_is_not_waited_for_for_ever(self):
        self.server.delays_cognify = True
        self.put(entry("k1"))
        self.drain()
        processing.write(self.home, NAME, processing.Unprocessed(1_000.0))
        self.put(entry("k2", "Redis holds the carts."))
        self.assertEqual(self.drain().waiting, 0)

    def test_processing_that_somebody_else_began_is_waited_for_as_long(self):
        self.server.put(OWN, "k0", "Text.")
        self.server.datasets[0].status = "STARTED"
        self.put(entry("k1"))
        self.assertEqual(self.drain().waiting, 1)
        self.assertIsNotNone(processing.load(self.home, NAME))

    def test_what_was_sent_is_not_known_to_be_processed(self):
        self.assertIsNone(processing.load(self.home, NAME))
        self.put(entry("k1"))
        self.drain()
        state = processing.load(self.home, NAME)
        self.assertEqual((state.repairs, state.problem), (0, ""))

    def test_something_that_cannot_wait_stops_between_packets_and_loses_nothing(self):
        self.put(*[entry("k%03d" % i, "Rule %d." % i) for i in range(100)])
        report = self.drain(must_stop=lambda: "POST /api/v1/add" in self.server.paths)
        self.assertEqual((report.sent, report.waiting), (40, 2))
        self.assertEqual(self.server.datasets[0].status, "COMPLETED")
        self.assertEqual(self.drain().waiting, 0)
        self.assertEqual(len(self.held()), 100)

    def test_worker_at_its_end_begins_nothing(self):
        self.put(entry("k1"))
        self.assertEqual(upload.drain(NAME, self.runtime(60)).waiting, 1)
        self.assertNotIn("POST /api/v1/add", self.server.paths)

    def test_two_processes_never_send_at_the_same_time(self):
        """The slower one would bring back what the other one has replaced."""
        self.put(entry("k1"))
        with lock.held(outbox.sending_lock(self.home, NAME)):
            report = self.drain()
        self.assertEqual((report.waiting, self.server.requests), (1, []))
        self.assertIn("another process", report.problem)
        self.assertEqual(self.drain().waiting, 0)

    def test_secret_that_was_edited_into_a_packet_is_not_sent(self):
        id, = self.put(entry("k1"))
        path = os.path.join(self.home.outbox(NAME), id + ".json")
        text = files.read_text(path).replace("PayCo", KEY).replace('"files": []', '"files": ["%s"]' % KEY)
        files.write_text(path, text)
        self.drain()
        self.assertEqual(len(self.held()), 1)
        self.assertNotIn(KEY.encode(), b"".join(request.body for request in self.server.requests))

    def test_server_of_another_version_of_the_interface(self):
        for settings in ({"version": "1.0.9"}, {"page": 10}, {"redirects": True}, {"access_control": False}):
            with ScriptedCognee(**settings) as server, mock.patch.dict(os.environ, {"MEMSIFT_COGNEE_URL": server.url}):
                for text in ("First.", "Second."):
                    self.put(*[entry("k%03d" % i, "%s Rule %d." % (text, i)) for i in range(30)], forget=["k999"])
                    self.drain()
                self.assertEqual(self.waiting(), [], settings)
                self.assertEqual(len(server.texts(OWN)), 30, settings)
                self.assertTrue(all(text.startswith("Second.") for text in server.texts(OWN)), settings)


if __name__ == "__main__":
    unittest.main()
