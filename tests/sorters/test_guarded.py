import os
from unittest import mock

from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.judgement import PassageQuestion
from memsift.judgement import PromptQuestion
from memsift.judgement import Thresholds
from memsift.judgement import TurnQuestion
from memsift.log import Log
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed
from memsift.sorters import Unavailable
from memsift.sorters import guarded
from memsift.sorters.guarded import Guarded
from tests.support import HomeTest
from tests.support import ScriptedSorter

PROMPT = PromptQuestion("Which payment provider did we choose?")
TURN = TurnQuestion(["We go with PayCo for payments."])


class Remote(ScriptedSorter):
    """Fails as often as it was told to, then judges."""

    name = "jev"

    def __init__(self, *failures):
        super().__init__()
        self.thresholds = Thresholds(need=0.4, add=0.75, keep=0.5, sentence=0.5)
        self.failures = list(failures)
        self.deadlines = []

    def _call(self, deadline):
        self.deadlines.append(deadline)
        if self.failures:
            raise self.failures.pop(0)

    def judge_prompt(self, question, deadline=None):
        self._call(deadline)
        return super().judge_prompt(question)

    def judge_passages(self, question, deadline=None):
        self._call(deadline)
        return super().judge_passages(question)

    def judge_turn(self, question, deadline=None):
        self._call(deadline)
        return super().judge_turn(question)


class GuardedTest(HomeTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.memsift_home)
        self.pauses = Pauses(self.home.state)
        self.local = ScriptedSorter()
        self.local.name = "local"
        self.slept = []
        patch = mock.patch.object(guarded.time, "sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)

    def guard(self, *failures, fallback=True):
        self.remote = Remote(*failures)
        make_local = (lambda: self.local) if fallback else None
        return Guarded(self.remote, make_local, self.pauses, Log(self.home.log, decisions=True))

    def prompt(self, sorter, deadline=None):
        return sorter.judge_prompt(PROMPT, deadline or Deadline(16))

    def turn(self, sorter, seconds=600):
        return sorter.judge_turn(TURN, Deadline(seconds))

    def pause(self):
        self.pauses.failed("jev", 401, "bad key")


class Prompts(GuardedTest):
    def test_service_that_answers_judges(self):
        sorter = self.guard()
        self.assertEqual(self.prompt(sorter).sorter, "jev")
        self.assertEqual((sorter.name, sorter.thresholds.add), ("jev", 0.75))
        self.assertEqual(sorter.paused(), [])

    def test_service_has_two_seconds_from_the_hooks_first_moment(self):
        sorter = self.guard()
        started = Deadline(16)
        started.started -= 1.5  # reading and starting took so long
        self.prompt(sorter, started)
        self.assertAlmostEqual(self.remote.deadlines[0].at - started.started, 2.0)

    def test_failure_counts_and_the_embedded_sorter_judges_the_same_prompt(self):
        sorter = self.guard(Failed(500, "HTTP 500", duration=0.25))
        self.assertEqual(self.prompt(sorter).sorter, "local")
        self.assertEqual((sorter.name, sorter.thresholds.add), ("local", 0.5))
        self.assertIn("ERROR core-prompt jev status=500 duration=0.250 HTTP 500", self.log_text())
        self.assertEqual(len(self.remote.deadlines), 1)
        self.assertEqual(self.prompt(sorter).sorter, "jev")
        self.assertEqual(sorter.thresholds.add, 0.75)  # always those of the sorter that judged

    def test_paused_service_is_not_called(self):
        self.pause()
        sorter = self.guard()
        self.assertEqual(self.prompt(sorter).sorter, "local")
        self.assertEqual(self.remote.deadlines, [])
        pause, = sorter.paused()
        self.assertEqual((pause.service, pause.reason), ("jev", "bad key"))

    def test_without_a_fallback_nothing_is_added(self):
        for failures in ([Failed(500, "x")], []):
            judgement = self.prompt(self.guard(*failures, fallback=False))
            self.assertEqual((judgement.kinds, judgement.scores, judgement.sorter), ({}, [], "none"))
            self.pause()

    def test_prompt_is_never_asked_twice(self):
        self.prompt(self.guard(Failed(429, "slow down", retry_after=0.1)))
        self.assertEqual((len(self.remote.deadlines), self.slept), (1, []))

    def test_what_pauses(self):
        table = (
            ([0, 0, 0], True), ([500, 502], False), ([500, 502, 503], True), ([401], True), ([403], True),
            ([429] * 5, False), ([529] * 5, False), ([500, 429, 500, 529], False), ([500, 429, 500, 529, 500], True),
        )
        for statuses, paused in table:
            with self.subTest(statuses):
                self.pauses.resume("jev")
                sorter = self.guard(*[Failed(status, "HTTP %d" % status) for status in statuses])
                for _ in statuses:
                    self.assertEqual(self.prompt(sorter).sorter, "local")
                self.assertEqual(bool(sorter.paused()), paused)

    def test_success_resets_the_count(self):
        for _ in range(3):
            sorter = self.guard(Failed(500, "x"), Failed(500, "x"))
            for judged_by in ("local", "local", "jev"):
                self.assertEqual(self.prompt(sorter).sorter, judged_by)
        self.assertEqual(sorter.paused(), [])

    def test_success_does_not_lift_a_pause(self):
        """Another process may have been refused while this one was still being answered."""
        sorter = self.guard()
        self.remote._call = lambda deadline: self.pause()
        self.assertEqual(self.prompt(sorter).sorter, "jev")
        self.assertEqual(len(sorter.paused()), 1)

    def test_tokens_are_logged_as_estimated_and_as_counted(self):
        self.prompt(self.guard())
        self.assertIn('DECISION jev-tokens {"estimated_tokens": 0, "input_tokens": null}', self.log_text())

    def test_state_that_cannot_be_read_or_written_stops_nothing(self):
        os.mkdir(self.home.state)
        sorter = self.guard(Failed(500, "x"))
        self.assertEqual([self.prompt(sorter).sorter for _ in range(2)], ["local", "jev"])
        self.assertEqual(sorter.paused(), [])
        for told in ("state not read", "failure not counted", "success not counted"):
            self.assertIn("ERROR pauses %s" % told, self.log_text())


class Passages(GuardedTest):
    """The second request about a prompt."""

    def passages(self, sorter, seconds=16.0):
        question = PassageQuestion(PROMPT, {}, [Entry("p", "2026-11-30", "PayCo, for its fees.")])
        return sorter.judge_passages(question, Deadline(seconds))

    def test_service_that_judged_the_prompt_judges_its_passages_within_two_seconds_more(self):
        sorter = self.guard()
        self.remote.scores = {"p": 0.9}
        self.prompt(sorter)
        judgement = self.passages(sorter)
        self.assertEqual((judgement.scores, judgement.sorter), ([0.9], "jev"))
        self.assertLessEqual(self.remote.deadlines[1].remaining(), guarded.PROMPT_SECONDS)

    def test_passages_are_never_judged_past_the_deadline_of_the_prompt(self):
        sorter = self.guard()
        self.prompt(sorter)
        self.passages(sorter, seconds=0.5)
        self.assertLessEqual(self.remote.deadlines[1].remaining(), 0.5)

    def test_service_that_failed_for_the_prompt_is_not_asked_again_for_its_passages(self):
        sorter = self.guard(Failed(500, "x"))
        self.prompt(sorter)
        self.assertEqual(self.passages(sorter).sorter, "local")
        self.assertEqual(len(self.remote.deadlines), 1)

    def test_service_that_fails_now_is_counted_and_replaced(self):
        for fallback, expected in ((True, ("local", [0.0])), (False, ("none", [None]))):
            sorter = self.guard(fallback=fallback)
            self.prompt(sorter)
            self.remote.failures = [Failed(503, "x")]
            judgement = self.passages(sorter)
            self.assertEqual((judgement.sorter, judgement.scores), expected)
        self.assertEqual(self.log_text().count("ERROR core-prompt jev status=503"), 2)


class Turns(GuardedTest):
    def test_service_that_answers_judges(self):
        self.assertEqual(self.turn(self.guard()).sorter, "jev")
        self.assertAlmostEqual(self.remote.deadlines[0].remaining(), guarded.TURN_SECONDS, delta=5)

    def test_turn_waits_while_the_service_fails_or_is_paused(self):
        for status in (0, 200, 401, 402, 404, 429, 500, 503, 529):
            with self.subTest(status), self.assertRaises(Unavailable):
                self.turn(self.guard(Failed(status, "x")))
            self.pauses.resume("jev")
        self.pause()
        with self.assertRaises(Unavailable):
            self.turn(self.guard())
        self.assertEqual((self.remote.deadlines, self.slept), ([], []))

    def test_turn_that_the_service_will_never_take_is_judged_here(self):
        for status in (400, 413, 422):
            with self.subTest(status):
                sorter = self.guard(Failed(status, "too long"))
                self.assertEqual(self.turn(sorter).sorter, "local")
                self.assertEqual(sorter.thresholds.add, 0.5)
                with self.assertRaises(Unavailable):
                    self.turn(self.guard(Failed(status, "too long"), fallback=False))
                self.pauses.resume("jev")

    def test_wait_that_the_service_asks_for_is_honoured_once(self):
        self.assertEqual(self.turn(self.guard(Failed(429, "slow down", retry_after=7.5))).sorter, "jev")
        self.assertEqual((self.slept, len(self.remote.deadlines)), ([7.5], 2))
        with self.assertRaises(Unavailable):
            self.turn(self.guard(Failed(503, "x", retry_after=2), Failed(503, "x", retry_after=2)))
        self.assertEqual((self.slept, len(self.remote.deadlines)), ([7.5, 2], 2))

    def test_wait_that_is_too_long_is_not_waited(self):
        for asked, left in ((61, 600), (30, 20)):
            with self.subTest(asked=asked, left=left), self.assertRaises(Unavailable):
                self.turn(self.guard(Failed(429, "slow down", retry_after=asked)), left)
        self.assertEqual(self.slept, [])

    def test_failures_of_turns_count_as_well(self):
        for _ in range(3):
            with self.assertRaises(Unavailable):
                self.turn(self.guard(Failed(500, "x")))
        self.assertIsNotNone(self.pauses.of("jev"))
        self.assertEqual(self.log_text().count("ERROR core-turn jev status=500"), 3)
