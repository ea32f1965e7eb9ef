"""A compaction may be killed at any moment: the next run leaves the old notes or the new ones, and one packet (E6)."""

import json
import os
import shutil
import signal
import unittest
from unittest import mock

from memsift import notes
from memsift.archive.archive import Archive
from memsift.compaction import compacting
from memsift.compaction import compaction
from memsift.compaction import compactor
from memsift.entry import Entry
from memsift.longterm import outbox
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
# Everything through which a byte reaches the disk or leaves it.
CALLS = ("open", "fdopen", "write", "replace", "unlink", "ftruncate", "mkdir")
ANSWER = {"add": [{"from": ["k000000001", "k000000002"], "text": "Staging listens on port 8443, production on port 9443."}],
          "replace": [{"id": "k000000003", "text": "We go with PayCo: lower fees for small carts."}],
          "drop": [{"id": "k000000004", "because": "not memory"}]}
TEXTS = ["Staging listens on port 8443.", "Production listens on port 9443.",
         "We go with PayCo, it has lower fees for small carts.", "This is a test of the notes, say banana.",
         "Stock counts run at 04:00.", "The old cart used cookies.", "Carts stay in Postgres, Redis lost them."]


class ScriptedCompactor:
    def __init__(self, answer=None):
        self.answer = ANSWER if answer is None else answer

    def chat(self, messages, deadline, most_tokens=0):
        return compactor.Reply(json.dumps(self.answer), "scripted", {}, 0.0)


class Killed(HomeTest):
    def setUp(self):
        super().setUp()
        os.environ["MEMSIFT_COGNEE_URL"] = "http://127.0.0.1:9"
        patch = mock.patch.object(compactor, "client", lambda settings: ScriptedCompactor())
        patch.start()
        self.addCleanup(patch.stop)
        self.draft, self.digest = self.home.draft(REPOSITORY), self.home.digest(REPOSITORY)

    def fill(self):
        """Notes, remarks of the owner's, a correction that waits, and an older digest."""
        for path in (self.draft, self.digest, self.home.archive(REPOSITORY)):
            if os.path.exists(path):
                os.unlink(path)
        shutil.rmtree(self.home.outbox(REPOSITORY), ignore_errors=True)
        found = [Entry("k%09d" % number, "2026-11-%02d" % number, text, said="developer", turn="s1/%d" % number)
                 for number, text in enumerate(TEXTS, 1)]
        found[5].replaces, found[5].mark = "d000000001", "correction"
        found[6].replaces, found[6].mark, found[6].date = "k000000005", "pending", self.runtime().today()
        notes.append(self.home, REPOSITORY, found)
        with open(self.draft, "ab") as file:
            file.write("# Mine\r\n\r\n- by hand: caf\u00e9\r\nplain words".encode())
        with open(self.digest, "wb") as file:
            file.write(b"\xef\xbb\xbf# Older\n- 2026-01-01 [d000000001] The cart uses sessions. <!-- said=agent turn=s0/1 -->\n- own \xff line\n")

    def state(self):
        found = []
        for path in (self.digest, self.draft):
            with open(path, "rb") as file:
                found.append(file.read())
        return tuple(found)

    def archived(self):
        return {entry.id: (entry.text, entry.mark, entry.replaces) for entry in Archive(self.home.archive(REPOSITORY)).every()}

    def packets(self):
        return [(packet.id, sorted(entry.id for entry in packet.entries), packet.forget)
                for packet in outbox.waiting(self.home, REPOSITORY)]

    def in_child(self, nth):
        """Compact in a child that is killed at its nth call; whether it got through."""
        child = os.fork()
        if child == 0:
            left = [nth]

            def counted(call):
                def act(*arguments, **keywords):
                    if left[0] == 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    left[0] -= 1
                    return call(*arguments, **keywords)
                return act
            for name in CALLS:
                setattr(os, name, counted(getattr(os, name)))
            try:
                compacting.compact(REPOSITORY, self.runtime())
            finally:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        self.assertTrue(os.WIFEXITED(status) or os.WTERMSIG(status) == signal.SIGKILL)
        return os.WIFEXITED(status)

    def check_at_every_step(self):
        self.fill()
        old = self.state()
        compacting.compact(REPOSITORY, self.runtime())
        new, archived, packets = self.state(), self.archived(), self.packets()
        self.assertNotEqual(old, new)
        self.assertEqual(len(packets), 1)
        outcomes = set()
        for nth in range(300):
            self.fill()
            through = self.in_child(nth)
            compacting.finish(REPOSITORY, self.runtime())
            self.assertIn(self.state(), (old, new), nth)
            outcomes.add(self.state() == new)
            if self.state() == new:
                self.assertEqual((self.archived(), self.packets()), (archived, packets), nth)
            compacting.compact(REPOSITORY, self.runtime())
            self.assertEqual((self.state(), self.archived(), self.packets()), (new, archived, packets), nth)
            if through:
                break
        self.assertTrue(through)
        self.assertGreater(nth, 15)
        self.assertEqual(outcomes, {True, False})
        self.assertFalse(os.path.exists(self.home.compaction(REPOSITORY)))
        self.assertNotIn("ERROR", self.log_text())

    def test_short_digest_takes_the_notes(self):
        self.check_at_every_step()
        self.assertEqual([note.id for note in notes.load(self.home, REPOSITORY)][-1], "k000000007")

    def test_long_digest_is_emptied(self):
        with mock.patch.object(compaction, "MOST_DIGEST_TOKENS", 50):
            self.check_at_every_step()
        self.assertEqual([note.id for note in notes.load(self.home, REPOSITORY)], ["k000000007"])

    def test_packet_that_was_sent_before_the_crash_is_not_put_down_again(self):
        self.fill()
        with mock.patch.object(notes, "move", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                compacting.compact(REPOSITORY, self.runtime())
        shutil.rmtree(self.home.outbox(REPOSITORY))  # accepted by the server meanwhile
        compacting.compact(REPOSITORY, self.runtime())
        self.assertEqual(self.packets(), [])


if __name__ == "__main__":
    unittest.main()
