import json
import os
import time
import unittest
from unittest import mock

from memsift import leftovers
from memsift import lock
from memsift import notes
from memsift import pending
from memsift import session
from memsift import sorters
from memsift import worker
from memsift.compaction import compacting
from memsift.compaction import endings
from memsift.entry import Entry
from memsift.event import Event
from memsift.moments import session_end
from tests.support import HomeTest
from tests.support import ScriptedSorter

NAME = "acme-shop-0123456789"
GRACE = 60


class Sessions(HomeTest):
    def setUp(self):
        super().setUp()
        os.environ["MEMSIFT_GRACE_SECONDS"] = str(GRACE)
        self.now = int(time.time())

    def session(self, name, began, ended=None, seen=None, repository=NAME):
        """A session that began and ended so many seconds ago; without an end, it was last seen `seen` seconds ago."""
        last = self.now - (ended if seen is None else seen)
        facts = {"version": 1, "session": name, "repository": repository, "started": self.now - began,
                 "ran": {"session-start": self.now - began, "answer": last}}
        if ended is not None:
            facts["ended"] = self.now - ended
        path = self.home.session(name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.utime(path, (last, last))

    def note(self, name, number=1, **facts):
        notes.append(self.home, NAME, [Entry("%s%09d" % (name[0], number), "2026-11-30", "Service %s listens on port %d." % (name, 8000 + number),
                                             said="developer", turn="%s/t%d" % (name, number), **facts)])

    def due_in(self):
        found = endings.due_in(NAME, self.runtime())
        return None if found is None else round(found, -1)


class DueIn(Sessions):
    def test_ended_session_gets_its_grace_time(self):
        self.note("s1")
        for ended, wait in ((0, 60), (20, 40), (60, 0), (100, -40)):
            self.session("s1", 300, ended)
            self.assertEqual(self.due_in(), wait)

    def test_running_session_and_empty_draft_wait_for_nothing(self):
        self.session("s1", 300, seen=20)
        self.assertIsNone(self.due_in())
        self.note("s1")
        self.assertIsNone(self.due_in())
        self.session("s1", 300, ended=30, seen=10)  # its host went on after the end
        self.assertIsNone(self.due_in())

    def test_killed_session_is_over_when_it_has_been_quiet(self):
        self.note("s1")
        self.session("s1", 9000, seen=leftovers.QUIET_SECONDS + 100)
        self.assertLess(self.due_in(), 0)

    def test_session_whose_state_is_gone_is_over(self):
        self.note("s1")
        self.assertLess(self.due_in(), 0)

    def test_session_that_starts_around_the_end_of_another_goes_on_with_its_work(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        for began in (90, 130, 45):  # right after it, before the end was told (Codex's daemon), and late in its grace time
            self.session("s2", began, seen=1)
            self.assertIsNone(self.due_in(), began)
            self.session("s2", began, ended=10)
            self.assertEqual(self.due_in(), 50)
        self.session("s2", 30, seen=1)  # too late: the work was over
        self.assertLess(self.due_in(), 0)
        self.session("s2", 280, seen=1)  # another pane, which was there long before
        self.assertLess(self.due_in(), 0)

    def test_other_repositories_sessions_do_not_matter(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        self.session("s2", 90, seen=1, repository="other-0123456789")
        self.assertLess(self.due_in(), 0)

    def test_twenty_prompts_in_a_row_wait_for_the_last(self):
        for number in range(20):
            self.session("a%d" % number, began=400 - 20 * number, ended=390 - 20 * number)
            self.note("a%d" % number, number)
        self.assertEqual(self.due_in(), 50)  # the last one ended 10 s ago

    def test_correction_that_waits_holds_nothing_up(self):
        self.session("s1", 300, ended=100)
        self.note("s1", mark="pending")
        self.assertIsNone(self.due_in())

    def test_broken_session_files_are_passed_over(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        for content in ("{", "[]", ""):
            with open(self.home.session("broken"), "w", encoding="utf-8") as file:
                file.write(content)
            self.assertLess(self.due_in(), 0)


class SessionEnd(Sessions):
    def test_end_of_a_session_starts_the_worker_where_there_are_notes(self):
        event = Event("claude-code", "session-end", "s1", cwd=self.project)
        runtime = self.runtime()
        with mock.patch.object(type(runtime), "start_worker") as start:
            session_end.run(event, None, runtime)
            start.assert_not_called()
            with session.editing(self.home, event) as state:
                name = state.repository
            notes.append(self.home, name, [Entry("k1", "", "We use PayCo.")])
            session_end.run(event, None, runtime)
            start.assert_called_once_with(name)


class Worker(Sessions):
    """What the worker makes of it."""

    def setUp(self):
        super().setUp()
        self.sorter = ScriptedSorter()
        patch = mock.patch.object(sorters, "load", lambda runtime: self.sorter)
        patch.start()
        self.addCleanup(patch.stop)
        self.compactions = []
        real = compacting.attempt
        patch = mock.patch.object(compacting, "attempt", lambda name, runtime: self.compactions.append(name) or real(name, runtime))
        patch.start()
        self.addCleanup(patch.stop)

    def drafted(self):
        with open(self.home.draft(NAME), encoding="utf-8") as file:
            return len(notes.parse(file.read()))

    def test_notes_of_a_session_that_is_over_are_compacted_once(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        for _ in range(3):
            worker.work(NAME, self.runtime())
        self.assertEqual((self.compactions, self.drafted()), ([NAME], 0))
        self.assertEqual(len(notes.load(self.home, NAME)), 1)

    def test_compaction_happens_although_turns_cannot_be_sorted(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        self.sorter.judge_turn = mock.Mock(side_effect=sorters.Unavailable("jev is paused"))
        pending.append(self.home, NAME, {"id": "r1", "prompts": ["We use port 9443."], "session": "s2", "turn": "t"})
        worker.work(NAME, self.runtime())
        self.assertEqual((self.compactions, len(pending.read(self.home, NAME))), ([NAME], 1))

    def test_it_waits_for_the_grace_time_and_sorts_what_comes_meanwhile(self):
        self.note("s1")
        self.session("s1", 300, ended=58)
        slept = []

        def sleep(seconds):
            slept.append(seconds)
            if len(slept) == 1:
                pending.append(self.home, NAME, {"id": "r1", "prompts": ["We use port 9443."], "session": "s2", "turn": "t"})
            with self.assertRaises(lock.Locked), lock.held(self.home.replay_lock(NAME)):
                pass  # the repository's one worker
            real_sleep(seconds)
        real_sleep = time.sleep
        with mock.patch.object(time, "sleep", sleep):
            worker.linger(NAME, self.runtime(seconds=600))
        self.assertEqual((self.compactions, self.drafted()), ([NAME], 0))
        self.assertEqual([note.text for note in notes.load(self.home, NAME)][-1], "We use port 9443.")

    def test_session_that_is_resumed_meanwhile_is_left_alone(self):
        self.note("s1")
        self.session("s1", 300, ended=10)

        def resume(seconds):
            event = Event("claude-code", "session-start", "s1", cwd=self.project)
            with session.editing(self.home, event) as state:
                state.facts.pop("ended")
        with mock.patch.object(time, "sleep", resume):
            worker.linger(NAME, self.runtime(seconds=600))
        self.assertEqual((self.compactions, self.drafted()), ([], 1))

    def test_it_does_not_wait_for_longer_than_it_may_live(self):
        self.note("s1")
        self.session("s1", 300, ended=0)
        with mock.patch.object(time, "sleep", side_effect=AssertionError):
            worker.linger(NAME, self.runtime(seconds=GRACE + worker.RESERVE_SECONDS - 5))
            os.environ["MEMSIFT_GRACE_SECONDS"] = "600"
            worker.linger(NAME, self.runtime(seconds=worker.SECONDS))
        self.assertEqual(self.compactions, [])

    def test_compaction_that_fails_is_not_tried_again_and_again(self):
        self.note("s1")
        self.session("s1", 300, ended=100)
        with mock.patch.object(compacting, "compact", side_effect=OSError("full")), mock.patch.object(time, "sleep", side_effect=AssertionError):
            worker.work(NAME, self.runtime())
            worker.linger(NAME, self.runtime(seconds=600))
        self.assertEqual((len(self.compactions), self.drafted()), (1, 1))


if __name__ == "__main__":
    unittest.main()
