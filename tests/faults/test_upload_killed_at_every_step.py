"""A worker may be killed at any moment of an upload: every packet is stored exactly once, and nothing is lost (E3, E6)."""

import json
import os
import signal
import unittest
import warnings

from memsift import files
from memsift.longterm import cognee_index
from memsift.longterm import datasets
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import tending
from memsift.remote import transport
from tests.faults.test_killed_at_every_step import KILLED
from tests.faults.test_killed_at_every_step import Killer
from tests.longterm.test_upload import NAME
from tests.longterm.test_upload import OWN
from tests.longterm.test_upload import StoreTest
from tests.longterm.test_upload import entry

WRITES = ("write", "replace", "unlink", "ftruncate", "mkdir")


class UploadKilledAtEveryStep(StoreTest):
    def in_child(self, nth, work):
        """Run in a forked child that is killed at its nth step: before a write, before the server is asked, once the
        request is sent, once the answer is there; whether it got through."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the server's threads, which the child never meets
            child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.alarm(60)
                killer = Killer(nth)
                for name in WRITES:
                    setattr(os, name, killer.wrap(getattr(os, name)))
                transport._receive = killer.wrap(transport._receive)
                send, arrived = killer.wrap(transport.send), killer.wrap(lambda response: response)
                transport.send = lambda *arguments, **keywords: arrived(send(*arguments, **keywords))
                work()
                code = 0
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        self.assertTrue(os.WIFEXITED(status), "stuck")
        code = os.WEXITSTATUS(status)
        self.assertIn(code, (0, KILLED), self.log_text()[-3000:])
        return code == 0

    def through(self, prepare, work, after):
        """Kill `work` at its first, second, ... call until it gets through; the others are called around it every time."""
        for nth in range(300):
            prepare(nth)
            done = self.in_child(nth, work)
            after(nth)
            if done:
                return nth
        self.fail("never got through")

    def prepare(self, nth):
        """A packet with an edited entry and one to forget, and another packet."""
        self.put(entry("edited", "Version %d." % nth), forget=["n%d" % (nth - 1)])
        self.put(entry("n%d" % nth, "New %d." % nth))

    def expected(self, nth):
        return [("edited", "Version %d." % nth), ("n%d" % nth, "New %d." % nth)]

    def test_sending(self):
        """The server takes its time: what it has begun to process is not waited for in vain, nor is anything left out."""
        self.server.delays_cognify = True

        def after(nth):
            self.server.finish()
            self.drain()
            self.assertIsNotNone(processing.load(self.home, NAME))  # until a later session has asked
            self.server.finish()
            self.assertEqual(self.held(), self.expected(nth))
            self.assertEqual(self.waiting(), [])
            self.assertTrue(all(each.is_searchable for each in self.server.datasets[0].documents))
        self.assertGreater(self.through(self.prepare, self.drain, after), 20)
        self.assertNotIn("ERROR", self.log_text())

    def test_looking_at_the_store(self):
        """A session's start: the index, the proposed lines, and the processing that failed."""
        self.server.put(OWN, "k1", "Text.")

        def prepare(nth):
            del self.server.datasets[1:]
            self.server.put("docs-%d" % nth, "doc", "Text %d." % nth)
            processing.write(self.home, NAME, processing.Unprocessed(1_000.0))
            self.server.datasets[0].status = "ERRORED"

        def look():
            tended = tending.Tending(NAME, self.runtime(300))
            tended._look(tended._store())

        def after(nth):
            if os.path.exists(self.home.cognee_index(NAME)):
                json.loads(files.read_text(self.home.cognee_index(NAME)))
            look()
            lines = files.read_text(self.home.datasets).splitlines()
            for number in range(nth + 1):
                self.assertEqual(sum(line.startswith("- docs-%d:" % number) for line in lines), 1)
            self.assertEqual(sorted(cognee_index.load(self.home, NAME).datasets), ["docs-%d" % nth, OWN])
            self.assertEqual(self.server.datasets[0].status, "COMPLETED")
        self.assertGreater(self.through(prepare, look, after), 20)
        self.assertEqual(datasets.broken_lines(files.read_text(self.home.datasets)), [])

    def test_putting_a_packet_down(self):
        """A compaction that was killed puts its packet down again."""
        def put(nth):
            self.put(*[entry("k%d" % i, "Version %d, rule %d." % (nth, i)) for i in range(50)], forget=["old%d" % nth])

        def after(nth):
            put(nth)
            newest = {each.id: each.text for packet in self.waiting() for each in packet.entries}
            self.assertEqual(newest, {"k%d" % i: "Version %d, rule %d." % (nth, i) for i in range(50)})
            self.assertEqual(len(self.waiting()), 2)
            self.assertEqual(outbox.broken(self.home, NAME), {})
            for packet in self.waiting():
                outbox.remove(self.home, NAME, packet)
        for nth in range(50):
            done = self.in_child(nth, lambda: put(nth))
            after(nth)
            if done:
                self.assertGreater(nth, 1)
                return
        self.fail("never got through")


if __name__ == "__main__":
    unittest.main()
