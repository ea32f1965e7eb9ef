"""The long-term store at a prompt, from the hook to what is added, against a server in memory."""

import json
import os

from memsift import notes
from memsift import project
from memsift.entry import Entry
from memsift.longterm import cognee_index
from memsift.longterm.cognee import Dataset
from memsift.remote.pauses import Pauses
from tests import scripted_http
from tests.moments.test_road import RoadTest
from tests.scripted_cognee import KEY
from tests.scripted_cognee import NO_CREDITS
from tests.scripted_cognee import ScriptedCognee
from tests.scripted_cognee import status

SEARCH = "/api/v1/search"
PAYMENTS = "We go with PayCo for payments, its fees are lower for small carts."
QUESTION = "Which payment provider did we choose, payments of small carts?"


class SecondLookTest(RoadTest):
    def setUp(self):
        super().setUp()
        self.home.repository(project.identify(self.project, self.user_home).name)
        self.own = "memsift-" + self.repository()

    def serve(self, purposes="", **how):
        """A server that holds one entry of this repository's, and what its index says of it."""
        self.server = ScriptedCognee(**how)
        self.addCleanup(self.server.__exit__)
        self.server.__enter__()
        self.server.put(self.own, "k1", PAYMENTS, ["memsift", self.repository()], {"memsift": "k1", "date": "2026-11-01"})
        self.server.put("handbook", "h1", "Payments are booked in May.", [], {})
        self.server.put("memsift-other-0a0b0c0d0e", "k2", "Payments of another project.", ["memsift", "other-0a0b0c0d0e"])
        os.environ.update(MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=KEY, MEMSIFT_DEBUG="1")
        cognee_index.write(self.home, self.repository(), self.server.url, 0,
                           [Dataset(each.id, each.name) for each in self.server.datasets], {})
        with open(self.home.datasets, "w", encoding="utf-8") as file:
            file.write(purposes or "- handbook: how we book\n")

    def ask(self, prompt=QUESTION, turn="u1", **where):
        self.sorter.scores.setdefault("k1", 0.9)
        return self.send("prompt", prompt=prompt, turn=turn, **where)

    def decision(self):
        """What the log says of the last prompt."""
        return json.loads(self.log_text().rpartition("DECISION core-prompt ")[2].splitlines()[0])

    def asked(self):
        return {name for search in self.server.searches for name in search["datasets"]}


class Passages(SecondLookTest):
    def test_passage_that_answers_is_added_where_no_note_does(self):
        self.serve()
        self.assertIn("- [k1] 2026-11-01: " + PAYMENTS, self.ask())
        told = self.decision()
        self.assertEqual(told["added"], ["k1"])
        self.assertIn(["k1", "cognee", 0.9, "added"], told["candidates"])
        self.assertTrue(told["store"].endswith(" passages"), told["store"])

    def test_passages_that_do_not_answer_are_not_added(self):
        self.serve()
        self.sorter.scores["k1"] = 0.1
        self.assertEqual(self.ask(), "")
        self.assertIn(["k1", "cognee", 0.1, "below threshold"], self.decision()["candidates"])

    def test_note_of_this_machine_that_answers_ends_the_search(self):
        self.serve()
        notes.append(self.home, self.repository(), [Entry("n1", "2026-11-02", "PayCo it is.")])
        self.sorter.scores["n1"] = 0.9
        self.assertIn("[n1]", self.ask())
        self.assertEqual((self.server.searches, self.decision()["store"]), ([], ""))

    def test_prompt_of_a_kind_that_needs_nothing_asks_nothing(self):
        self.serve()
        self.sorter.kind = "reaction"
        self.assertEqual(self.ask("ok, go ahead"), "")
        self.assertEqual(self.server.requests, [])

    def test_passage_is_given_once_a_session(self):
        self.serve()
        self.assertIn("[k1]", self.ask(turn="u1"))
        self.assertEqual(self.ask(turn="u2"), "")

    def test_each_passage_is_judged_alone_and_none_that_was_a_candidate_is_judged_again(self):
        self.serve()
        notes.append(self.home, self.repository(), [Entry("k1", "2026-11-01", PAYMENTS)])
        self.sorter.scores.update(k1=0.2)
        self.ask()
        judged = [question for question in self.sorter.questions if hasattr(question, "passages")]
        self.assertNotIn("k1", [entry.id for question in judged for entry in question.passages])

    def test_passage_of_another_repository_never_comes_whatever_the_server_ignores(self):
        for access_control in (True, False):
            with self.subTest(access_control=access_control):
                self.serve(access_control=access_control)
                self.sorter.scores.update({"k1": 0.1, "k2": 0.9})
                self.assertEqual(self.ask(turn="u%s" % access_control), "")
                self.assertNotIn("memsift-other-0a0b0c0d0e", self.asked())

    def test_dataset_that_is_off_is_not_asked(self):
        self.serve("- handbook: off\n")
        self.ask()
        self.assertEqual(self.asked(), {self.own})

    def test_datasets_that_cannot_be_read_ask_nothing_and_the_notes_still_answer(self):
        self.serve()
        os.unlink(self.home.datasets)
        os.mkdir(self.home.datasets)
        self.assertEqual(self.ask(), "")
        self.assertEqual(self.server.searches, [])
        self.assertIn("datasets not read", self.log_text())
        notes.append(self.home, self.repository(), [Entry("n1", "2026-11-02", "PayCo it is.")])
        self.sorter.scores["n1"] = 0.9
        self.assertIn("[n1]", self.ask(turn="u2"))

    def test_without_a_server_nothing_is_asked(self):
        self.serve()
        os.environ.pop("MEMSIFT_COGNEE_URL")
        self.assertEqual(self.ask(), "")
        self.assertEqual((self.server.requests, self.decision()["store"]), ([], ""))

    def test_server_that_holds_nothing_for_this_repository_is_not_asked(self):
        self.serve()
        os.unlink(self.home.cognee_index(self.repository()))
        self.assertEqual(self.ask(), "")
        self.assertEqual((self.server.searches, self.decision()["store"]), ([], "no dataset for this repository"))


class Outages(SecondLookTest):
    def test_outage_is_never_told_as_nothing_found(self):
        self.serve()
        self.server.meet(SEARCH, scripted_http.answers({"error": "x"}, "500 Internal Server Error"))
        self.assertEqual(self.ask(), "")
        self.assertEqual(self.decision()["store"], "no answer")
        self.assertIn("ERROR core-prompt cognee status=500", self.log_text())

    def test_three_failures_pause_it_and_the_pause_is_told_once_a_session(self):
        self.serve()
        self.server.meet(SEARCH, scripted_http.answers({"error": "x"}, "500 Internal Server Error"))
        told = [self.ask(turn="u%d" % number) for number in range(5)]
        self.assertEqual([bool(each) for each in told], [False, False, True, False, False])
        self.assertIn("Cognee", told[2])
        self.assertEqual(len({request.line for request in self.server.requests}), 1)
        self.assertEqual(self.decision()["store"], "paused")

    def test_nothing_found_is_no_failure(self):
        self.serve()
        for dataset in self.server.datasets:
            for document in dataset.documents:
                document.is_searchable = False
        for number in range(4):
            self.ask(turn="u%d" % number)
        self.assertIsNone(Pauses(self.home.state).of("cognee"))
        self.assertEqual(self.decision()["store"], "0 passages")

    def test_used_up_credits_are_told_as_such(self):
        self.serve()
        self.server.meet(SEARCH, status(NO_CREDITS))
        self.ask()
        self.assertIn("credits", self.log_text())
