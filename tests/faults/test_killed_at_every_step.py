"""A process may be killed at any moment: no turn is lost and none is stored twice (D5)."""

import json
import os
import unittest
from unittest import mock

from memsift import hook
from memsift import notes
from memsift import pending
from memsift import sorters
from memsift import spawn
from memsift import worker
from memsift.deadline import Deadline
from tests.support import HomeTest
from tests.support import ScriptedSorter

KILLED = 9
TEXT = "We go with PayCo for payments, its fees are lower for small carts."
# Everything through which a turn or a note reaches the disk or leaves it.
CALLS = ("open", "fdopen", "write", "replace", "unlink", "ftruncate")


class Killer:
    """Ends this process, without any clean-up, at the nth call."""

    def __init__(self, nth):
        self.left = nth

    def wrap(self, call):
        def counted(*arguments, **keywords):
            if self.left == 0:
                os._exit(KILLED)
            self.left -= 1
            return call(*arguments, **keywords)
        return counted


class KilledAtEveryStep(HomeTest):
    def in_child(self, nth, work):
        """Run in a forked child that is killed at its nth call; whether it got through."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                killer = Killer(nth)
                for name in CALLS:
                    setattr(os, name, killer.wrap(getattr(os, name)))
                work()
                code = 0
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        self.assertIn(os.WEXITSTATUS(status), (0, KILLED))
        return os.WEXITSTATUS(status) == 0

    def send(self, moment, event, turn, **fields):
        payload = self.payload("claude-code", event, turn=turn, **fields)
        hook.answer("claude-code", moment, json.dumps(payload).encode(), Deadline(30))

    def work(self):
        worker.work(self.repository(), self.runtime())

    def drafted(self):
        return [note.text for note in notes.load(self.home, self.repository())]

    def run(self, result=None):
        with mock.patch.object(sorters, "load", lambda settings: ScriptedSorter()), mock.patch.object(spawn, "worker"):
            return super().run(result)

    def through(self, work, after):
        """Kill `work` at its first, second, ... call until it gets through; `after` is called every time."""
        for nth in range(200):
            done = self.in_child(nth, lambda: work(nth))
            after(nth)
            if done:
                return nth
        self.fail("never got through")

    def test_worker(self):
        def prepare(nth):
            self.send("prompt", "UserPromptSubmit", "t%d" % nth, prompt="%s Case %d." % (TEXT, nth))
            self.send("answer", "Stop", "t%d" % nth, last_assistant_message="Noted.")
        prepare(0)

        def after(nth):
            self.work()
            self.assertEqual(self.drafted(), ["%s Case %d." % (TEXT, i) for i in range(nth + 1)])
            self.assertEqual(pending.read(self.home, self.repository()), [])
            prepare(nth + 1)
        self.assertGreater(self.through(lambda nth: self.work(), after), 3)

    def test_hooks_of_a_turn(self):
        """A hook killed before the turn was on disk leaves the prompt open: the next turn's end takes it along."""
        self.send("prompt", "UserPromptSubmit", "first", prompt=TEXT)
        self.send("answer", "Stop", "first", last_assistant_message="Noted.")

        def turn(nth):
            self.send("prompt", "UserPromptSubmit", "t%d" % nth, prompt="%s Case %d." % (TEXT, nth))
            self.send("answer", "Stop", "t%d" % nth, last_assistant_message="Noted.")

        def after(nth):
            self.send("answer", "Stop", "end%d" % nth, last_assistant_message="")
            self.work()
            self.assertEqual(len(self.drafted()), len(set(self.drafted())))
        last = self.through(turn, after)
        kept = self.drafted()
        self.assertEqual(kept[-1], "%s Case %d." % (TEXT, last))
        unseen = [i for i in range(last) if "%s Case %d." % (TEXT, i) not in kept]
        self.assertEqual(unseen, list(range(len(unseen))))  # only those killed before the prompt was written
        self.assertLess(len(unseen), last / 2)


if __name__ == "__main__":
    unittest.main()
