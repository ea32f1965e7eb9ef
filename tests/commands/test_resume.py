"""`python3 -m memsift resume`, as a user runs it, against a scripted judge on loopback."""

import os
import signal
import subprocess
import sys

from memsift import notes
from memsift import pending
from memsift import project
from memsift.remote.pauses import Pauses
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import after
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge
from tests.support import ROOT
from tests.support import HomeTest
from tests.support import heed_interrupts
from tests.support import make_repository

FACTS = ("We go with PayCo for payments.", "Carts expire after a day.", "Search runs on Tantivy.")
WELL = computed(ScriptedJudge({fact: 0.9 for fact in FACTS}))
BROKEN = answers({"error": {"message": "out of order"}}, "500 Oops")


class ResumeTest(HomeTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.memsift_home)
        self.pauses = Pauses(self.home.state)
        self.name = project.identify(self.project, self.user_home).name

    def serve(self, *script):
        server = ScriptedHttp(*script)
        server.__enter__()
        self.addCleanup(server.__exit__)
        self.environment.update(MEMSIFT_JEV_URL=server.url, MEMSIFT_JEV_KEY="invented")
        self.server = server
        return server

    def wait_in(self, name, *facts):
        for number, fact in enumerate(facts):
            pending.append(self.home, name, {
                "id": "s1/t%d" % number, "session": "s1", "turn": "t%d" % number, "host": "claude-code", "date": "2026-11-30",
                "end": "answered", "again": False, "prompts": [fact], "answer": "Noted.", "changes": [], "transcript": ""})

    def resume(self, folder=None):
        return subprocess.run([sys.executable, "-B", "-m", "memsift", "resume"], cwd=folder or self.project, timeout=60,
                              env=dict(self.environment, PYTHONPATH=ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def kept(self, name):
        return [note.text for note in notes.load(self.home, name)]

    def test_service_that_answers_is_called_again_and_the_turns_that_waited_are_sorted(self):
        server = self.serve(WELL)
        self.pauses.failed("jev", 401, "bad key")
        self.pauses.failed("jev", 500, "x")
        self.wait_in(self.name, *FACTS)
        done = self.resume()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Jev answers and is called again.", done.stdout)
        self.assertIn("3 turns of %s sorted" % self.name, done.stdout)
        self.assertIsNone(self.pauses.of("jev"))
        self.assertEqual((self.kept(self.name), pending.read(self.home, self.name)), (list(FACTS), []))
        self.assertEqual(len(server.requests), 1 + len(FACTS))
        self.pauses.failed("jev", 500, "x")
        self.pauses.failed("jev", 500, "x")
        self.assertIsNone(self.pauses.of("jev"))  # the count began again

    def test_other_projects_turns_wait_for_their_next_answer(self):
        self.serve(WELL)
        other = project.identify(make_repository(os.path.join(self.folder, "other")), self.user_home).name
        self.wait_in(other, FACTS[0])
        self.wait_in(self.name, FACTS[1])
        self.resume()
        self.assertEqual((self.kept(other), len(pending.read(self.home, other))), ([], 1))
        self.assertEqual(self.kept(self.name), [FACTS[1]])

    def test_service_that_still_fails_stays_paused(self):
        for act, said in ((BROKEN, "out of order"), (answers({"error": "no"}, "401 Unauthorized"), "status=401"),
                          (answers({"answers": {}}), "missing")):
            with self.subTest(said):
                self.serve(act)
                self.pauses.failed("jev", 401, "bad key")
                self.wait_in(self.name, FACTS[0])
                done = self.resume()
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("Jev does not answer", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(self.pauses.of("jev").reason, "bad key")
                self.assertEqual(len(pending.read(self.home, self.name)), 1)

    def test_turns_that_still_wait_are_not_called_sorted(self):
        self.serve(WELL, BROKEN)
        self.wait_in(self.name, *FACTS)
        done = self.resume()
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("sorted", done.stdout)
        self.assertIn("3 turns in %s still wait" % self.name, done.stderr)

    def test_interrupted_it_loses_nothing_and_goes_on_when_run_again(self):
        facts = ["Part %d is kept in shelf %d." % (number, number * 7) for number in range(20)]
        self.serve(computed(ScriptedJudge({"is kept in shelf": 0.9})))
        self.server.script[:] = [self.server.script[0], after(0.2, self.server.script[0])]
        self.wait_in(self.name, *facts)
        process = subprocess.Popen([sys.executable, "-B", "-m", "memsift", "resume"], cwd=self.project, text=True,
                                   env=dict(self.environment, PYTHONPATH=ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=heed_interrupts)
        self.wait_for(lambda: len(pending.read(self.home, self.name)) < 15, seconds=60)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, "memsift: interrupted; nothing is lost, run it again to go on\n"))
        left = len(pending.read(self.home, self.name))
        self.assertTrue(0 < left < 20, left)
        done = self.resume()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((sorted(self.kept(self.name)), pending.read(self.home, self.name)), (sorted(facts), []))
        self.assertNotIn("sorted", self.resume().stdout)

    def test_without_a_service_the_turns_that_wait_are_sorted_all_the_same(self):
        self.wait_in(self.name, *FACTS)
        done = self.resume()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 turns of %s sorted" % self.name, done.stdout)
        self.assertEqual(pending.read(self.home, self.name), [])

    def test_nothing_to_lift_and_nothing_waiting(self):
        self.serve(WELL)
        done = self.resume()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Jev answers.", done.stdout)

    def test_before_anything_was_remembered(self):
        self.serve(WELL)
        os.rmdir(self.memsift_home)
        done = self.resume()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_state_that_cannot_be_read_is_told_in_one_sentence(self):
        self.serve(WELL)
        os.mkdir(self.home.state)
        done = self.resume()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("state.json", done.stderr)

    def test_outside_of_any_project(self):
        self.serve(WELL)
        self.pauses.failed("jev", 401, "bad key")
        done = self.resume(self.user_home)
        self.assertEqual((done.returncode, done.stdout), (0, "Jev answers and is called again.\n"))

    def test_without_a_service(self):
        done = self.resume()
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "No service is set: everything is judged on this machine.\n", ""))

    def test_without_a_home(self):
        self.serve(WELL)
        self.environment["HOME"] = "/nonexistent"
        done = self.resume()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("set HOME or MEMSIFT_HOME", done.stderr)
