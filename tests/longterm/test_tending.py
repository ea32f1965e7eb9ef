import json
import os
import time
import unittest
from unittest import mock

from memsift import files
from memsift import lock
from memsift import pending
from memsift import project
from memsift import sorters
from memsift import switch
from memsift import worker
from memsift.longterm import cognee_index
from memsift.longterm import datasets
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import tending
from memsift.remote.pauses import Pauses
from tests import scripted_http
from tests.longterm.test_upload import BROKEN
from tests.longterm.test_upload import NAME
from tests.longterm.test_upload import OWN
from tests.longterm.test_upload import StoreTest
from tests.longterm.test_upload import entry
from tests.scripted_cognee import ScriptedCognee
from tests.scripted_cognee import status
from tests.support import ScriptedSorter

FACT = "We go with PayCo for payments, its fees are lower for small carts."


def row(id, prompt):
    return {"id": id, "session": "s1", "turn": id, "host": "claude-code", "date": "2026-11-30", "end": "answered",
            "again": False, "prompts": [prompt], "answer": "Noted.", "changes": [], "transcript": ""}


class TendingTest(StoreTest):
    def run(self, result=None):
        self.sorter = ScriptedSorter()
        with mock.patch.object(sorters, "load", lambda settings: self.sorter):
            return super().run(result)

    def start(self, ago=0.0, repository=NAME, session="s1"):
        """A session of this repository was started so many seconds ago."""
        now = time.time() - ago
        facts = {"session": session, "repository": repository, "started": now - 1000, "ran": {"session-start": now, "answer": now + 1}}
        files.write_text(self.home.session(session), json.dumps(facts))

    def work(self, seconds=300):
        worker.work(NAME, self.runtime(seconds))

    def age_index(self, seconds):
        """Have the index been refreshed so long ago."""
        path = self.home.cognee_index(NAME)
        facts = json.loads(files.read_text(path))
        text = files.read_text(path).replace('"refreshed": %d' % facts["refreshed"], '"refreshed": %d' % (time.time() - seconds))
        files.write_text(path, text)

    def calls(self, path):
        return self.server.paths.count(path)


class SessionStart(TendingTest):
    def test_worker_lists_the_store_and_proposes_and_warms_what_may_be_asked(self):
        for name in ("team-docs", "agent_sessions", OWN, "memsift-other-1111111111"):
            self.server.put(name, "doc", "Text of %s." % name)
        self.start()
        self.work()
        index = cognee_index.load(self.home, NAME)
        self.assertEqual(sorted(index.datasets), ["agent_sessions", OWN, "team-docs"])
        self.assertEqual([each.name for each in cognee_index.documents(self.home, NAME, OWN)], ["doc"])
        self.assertEqual(cognee_index.documents(self.home, NAME, "agent_sessions"), [])
        self.assertEqual(list(datasets.purposes(self.home, NAME)), [OWN, "team-docs"])
        self.assertEqual([search["datasets"] for search in self.server.searches], [[OWN, "team-docs"]])
        self.assertNotIn("ERROR", self.log_text())

    def test_dataset_of_the_plugin_may_have_another_name(self):
        self.server.put("chat-log", "doc", "Text.")
        with mock.patch.dict(os.environ, {"COGNEE_PLUGIN_DATASET": "chat-log"}):
            self.work()
        self.assertEqual(datasets.purposes(self.home, NAME), {})

    def test_once_for_each_start_and_not_at_every_answer(self):
        self.start()
        for _ in range(3):
            self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 1)
        self.age_index(3600)
        self.start(ago=7200)
        self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 1)
        self.start(ago=120)
        self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 2)

    def test_sessions_that_start_one_after_another_look_once_a_minute(self):
        self.work()
        self.age_index(30)
        self.start()
        self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 1)

    def test_another_repositorys_start_is_none_of_its_business(self):
        self.work()
        self.age_index(3600)
        self.start(repository="other-1111111111", session="s2")
        self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 1)

    def test_another_server_is_looked_at_at_once(self):
        self.work()
        with ScriptedCognee() as other, mock.patch.dict(os.environ, {"MEMSIFT_COGNEE_URL": other.url}):
            self.work()
            self.assertEqual(other.paths.count("GET /api/v1/datasets"), 1)

    def test_broken_index_and_one_from_the_future_are_made_again(self):
        self.server.put("team-docs", "doc", "Text.")
        self.work()
        for spoil in (lambda: files.write_text(self.home.cognee_index(NAME), "{"), lambda: self.age_index(-3600)):
            spoil()
            self.work()
            self.assertEqual(list(cognee_index.load(self.home, NAME).datasets), ["team-docs"])
            self.assertLessEqual(cognee_index.load(self.home, NAME).refreshed, time.time())

    def test_own_dataset_is_known_right_after_the_first_upload(self):
        self.start(ago=3600)
        self.work()
        self.put(entry("k1"))
        self.work()
        self.assertEqual(list(datasets.purposes(self.home, NAME)), [OWN])

    def test_failing_server_leaves_the_index_as_it_was(self):
        self.server.put("team-docs", "doc", "Text.")
        self.work()
        self.age_index(3600)
        before = files.read_text(self.home.cognee_index(NAME))
        self.start()
        self.server.meet("/api/v1/datasets", status(BROKEN))
        self.work()
        self.assertEqual(files.read_text(self.home.cognee_index(NAME)), before)
        self.assertIn("ERROR core-store cognee status=500", self.log_text())

    def test_unusable_datasets_file_stops_nothing_else(self):
        os.makedirs(self.home.datasets)
        self.put(entry("k1"))
        self.work()
        self.assertEqual(len(self.held()), 1)
        self.assertEqual(list(cognee_index.load(self.home, NAME).datasets), [OWN])
        self.assertEqual(self.server.searches, [])
        self.assertIn("datasets.md not read", self.log_text())

    def test_without_a_server_nothing_is_made(self):
        with mock.patch.dict(os.environ, {"MEMSIFT_COGNEE_URL": ""}):
            self.start()
            self.work()
        self.assertEqual(sorted(os.listdir(self.home.repository(NAME))), ["replay.lock"])
        self.assertFalse(os.path.exists(self.home.datasets))

    def test_paused_store_or_memory_switched_off_is_not_called(self):
        self.put(entry("k1"))
        Pauses(self.home.state).failed("cognee", 401, "refused")
        self.work()
        Pauses(self.home.state).resume("cognee")
        switch.turn_off(self.home, NAME)
        self.work()
        self.assertEqual(self.server.requests, [])
        self.assertEqual(len(self.waiting()), 1)


class RealWorker(StoreTest):
    def test_started_by_a_hook_with_the_settings_of_the_cognee_plugin_in_the_environment_only(self):
        """From the session's start to the index, and from the outbox into the store."""
        environment = dict(self.environment, COGNEE_BASE_URL=self.server.url, COGNEE_API_KEY=self.server.key)
        payload = self.payload("claude-code", "SessionStart", source="startup")
        self.hook("claude-code", "session-start", payload, environment)
        self.wait_for(lambda: os.path.isdir(self.home.repositories) and os.listdir(self.home.repositories) != [])
        name = self.repository()
        self.wait_for(lambda: cognee_index.load(self.home, name).server == self.server.url)
        outbox.put(self.home, name, [entry("k1")])
        self.hook("claude-code", "answer", self.payload("claude-code", "Stop", last_assistant_message="Done."), environment)
        self.wait_for(lambda: outbox.waiting(self.home, name) == [])
        self.assertEqual(len(self.server.texts(datasets.own(name))), 1)
        self.wait_for(lambda: list(datasets.purposes(self.home, name)) == [datasets.own(name)])
        self.assertEqual(self.log_text(), "")


    def test_prompt_sends_nothing_of_what_waits(self):
        environment = dict(self.environment, MEMSIFT_COGNEE_URL=self.server.url, MEMSIFT_COGNEE_KEY=self.server.key)
        name = project.identify(self.project).name
        outbox.put(self.home, name, [entry("k1")])
        self.hook("claude-code", "prompt", self.payload("claude-code", "UserPromptSubmit", prompt="Which payment provider did we choose?"),
                  environment)
        self.assertEqual(len(outbox.waiting(self.home, name)), 1)
        self.assertEqual({path for path in self.server.paths if not path.endswith("/search")}, set())


class Processing(TendingTest):
    def sent(self):
        """Something was sent, and the next session has looked after it."""
        self.put(entry("k1"))
        self.work()
        self.assertEqual(self.calls("POST /api/v1/cognify"), 1)
        self.look_again()

    def look_again(self):
        self.age_index(3600)
        self.start()
        self.work()

    def state(self):
        return processing.load(self.home, NAME)

    def test_processed_documents_are_forgotten_about(self):
        self.sent()
        self.assertIsNone(self.state())
        self.assertEqual(self.calls("POST /api/v1/cognify"), 1)

    def test_processing_that_goes_on_is_left_alone(self):
        self.server.delays_cognify = True
        self.sent()
        self.assertEqual((self.state().repairs, self.calls("POST /api/v1/cognify")), (0, 1))

    def test_failed_processing_is_begun_again(self):
        self.server.delays_cognify = True
        self.sent()
        self.server.finish("ERRORED")
        self.look_again()
        self.assertEqual((self.state().repairs, self.state().problem), (1, "it ended as errored"))
        self.server.finish()
        self.look_again()
        self.assertIsNone(self.state())
        self.assertTrue(self.server.datasets[0].documents[0].is_searchable)

    def test_processing_that_never_began_or_never_ends_is_begun_again(self):
        for found, ago in (("", 10), ("STARTED", 3600)):
            self.server.delays_cognify = True
            self.put(entry("k1"))
            self.work()
            self.server.datasets[0].status = found
            processing.write(self.home, NAME, processing.Unprocessed(time.time() - ago))
            self.look_again()
            self.assertEqual((self.state().repairs, self.server.datasets[0].status), (1, "STARTED"))
            self.server.finish()

    def test_store_that_fails_again_and_again_is_asked_ever_more_rarely_and_told_to_the_log(self):
        self.server.delays_cognify = True
        self.sent()
        for repairs, quiet, enough in ((0, None, 0), (1, 500, 700), (2, 1100, 1300), (20, 86_000, 86_500)):
            for ago in (quiet, enough):
                if ago is not None:
                    self.server.finish("ERRORED")
                    processing.write(self.home, NAME, processing.Unprocessed(time.time() - ago, repairs, "it ended as errored"))
                    self.look_again()
                    self.assertEqual(self.state().repairs, repairs + (ago == enough), (repairs, ago))
        self.assertEqual(self.log_text().count("it ended as errored, and is begun again"), 4)
        self.put(entry("k2", "Redis holds the carts."))
        self.server.finish("ERRORED")
        self.work()
        self.assertEqual(self.state().repairs, 0)

    def test_lost_dataset_is_told_once(self):
        self.sent()
        processing.write(self.home, NAME, processing.Unprocessed(time.time()))
        self.server.datasets.clear()
        self.look_again()
        self.look_again()
        self.assertEqual(self.log_text().count("has lost the dataset"), 1)


class Rounds(TendingTest):
    """One worker, whatever comes while it is busy (J5)."""

    def test_turns_are_sorted_before_anything_is_sent(self):
        order = []
        pending.append(self.home, NAME, row("a", FACT))
        self.put(entry("k1"))
        judge = self.sorter.judge_turn
        self.sorter.judge_turn = lambda question, deadline: (order.append("sorted"), judge(question, deadline))[1]
        self.server.meet("/api/v1/add", lambda connection, request: order.append("sent"), times=1)
        self.work()
        self.assertEqual(order[:2], ["sorted", "sent"])

    def test_turn_that_ends_while_it_sends_is_sorted_before_the_rest_is_sent(self):
        self.put(*[entry("k%03d" % i, "Rule %d." % i) for i in range(100)])
        order = []

        def turn_ends(connection, request):
            pending.append(self.home, NAME, row("late", FACT))
            order.append("sent")
        judge = self.sorter.judge_turn
        self.sorter.judge_turn = lambda question, deadline: (order.append("sorted"), judge(question, deadline))[1]
        self.server.meet("/api/v1/cognify", lambda connection, request: order.append("processing"), times=1)
        self.server.meet("/api/v1/add", turn_ends, times=1)
        self.work()
        self.assertEqual(order[:2], ["sent", "sorted"])
        self.assertEqual(pending.read(self.home, NAME), [])

    def test_turns_that_cannot_be_sorted_do_not_keep_packets_waiting(self):
        def refuse(question, deadline):
            raise sorters.Unavailable("jev is paused")
        self.sorter.judge_turn = refuse
        pending.append(self.home, NAME, row("a", FACT))
        self.put(entry("k1"))
        self.work()
        self.assertEqual((len(self.held()), len(pending.read(self.home, NAME))), (1, 1))

    def test_packet_that_comes_while_the_worker_is_leaving_is_sent(self):
        """Its own worker found the lock held and went away."""
        real = tending.Tending.run

        def run_and_then_a_packet_comes(tended, must_stop):
            real(tended, must_stop)
            if not self.late:
                self.late = True
                self.put(entry("late"))
        self.late = False
        with mock.patch.object(tending.Tending, "run", run_and_then_a_packet_comes):
            self.work()
        self.assertEqual([name for name, _ in self.held()], ["late"])

    def test_session_that_starts_while_the_worker_is_leaving_is_served(self):
        self.work()
        self.age_index(3600)
        real = tending.Tending.run

        def run_and_then_a_session_starts(tended, must_stop):
            real(tended, must_stop)
            self.start()
        with mock.patch.object(tending.Tending, "run", run_and_then_a_session_starts):
            self.work()
        self.assertEqual(self.calls("GET /api/v1/datasets"), 2)

    def test_packets_that_cannot_be_sent_are_not_tried_in_a_circle(self):
        self.put(entry("k1"))
        self.server.meet("/", status(BROKEN))
        self.work()
        self.assertEqual(len(self.server.requests), 1)

    def test_second_worker_leaves_at_once(self):
        self.put(entry("k1"))
        with lock.held(self.home.replay_lock(NAME)):
            self.work()
        self.assertEqual(self.server.requests, [])

    def test_hanging_server_costs_a_bounded_time(self):
        self.put(entry("k1"))
        self.server.meet("/", scripted_http.hang)
        started = time.monotonic()
        with mock.patch.object(tending.upload, "CALL_SECONDS", 0.2):
            self.work()
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual((len(self.waiting()), len(self.server.requests)), (1, 1))

    def test_worker_near_its_end_leaves_the_store_to_the_next_one(self):
        self.put(entry("k1"))
        self.work(seconds=60)
        self.assertEqual(self.server.requests, [])

    def test_half_written_packets_of_killed_processes_are_cleaned_up(self):
        self.put(entry("k1"))
        path = os.path.join(self.home.outbox(NAME), "p1.json.abc.tmp")
        files.write_text(path, "{")
        os.utime(path, (1, 1))
        self.work()
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
