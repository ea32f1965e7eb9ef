import multiprocessing
import os
import unittest

from memsift import pending
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"


def row(id, **facts):
    return dict({"id": id, "session": "s", "turn": id, "prompts": ["prompt of " + id], "answer": "a"}, **facts)


def _append_many(home, name, count):
    for i in range(count):
        pending.append(home, REPOSITORY, row("%s-%d" % (name, i)))


class Pending(HomeTest):
    def ids(self):
        return [waiting["id"] for waiting in pending.read(self.home, REPOSITORY)]

    def raw(self):
        with open(self.home.pending(REPOSITORY), "rb") as file:
            return file.read()

    def test_in_the_order_they_came_and_gone_when_removed(self):
        for id in "abc":
            pending.append(self.home, REPOSITORY, row(id))
        pending.remove(self.home, REPOSITORY, "b")
        self.assertEqual(self.ids(), ["a", "c"])
        pending.remove(self.home, REPOSITORY, "a")
        pending.remove(self.home, REPOSITORY, "c")
        self.assertEqual((self.ids(), self.raw().strip()), ([], b""))

    def test_same_turn_twice_waits_once(self):
        pending.append(self.home, REPOSITORY, row("a"))
        pending.append(self.home, REPOSITORY, row("a"))
        self.assertEqual(self.ids(), ["a"])

    def test_half_written_line_of_a_killed_writer_spares_the_next(self):
        pending.append(self.home, REPOSITORY, row("a"))
        with open(self.home.pending(REPOSITORY), "ab") as file:
            file.write(b'{"id": "half')
        pending.append(self.home, REPOSITORY, row("b"))
        self.assertEqual(self.ids(), ["a", "b"])
        pending.remove(self.home, REPOSITORY, "a")
        self.assertIn(b'{"id": "half', self.raw())  # its owner may want to look at it

    def test_byte_order_mark_crlf_and_other_broken_lines(self):
        with open(self.home.pending(REPOSITORY), "wb") as file:
            file.write(b'\xef\xbb\xbf{"id": "a"}\r\n\x00\x00\n[]\n{"id": 3}\n{"id": "x", "prompts": 7}\n{"id": "y", "turn": null}\n\xff\xfe\n{"id": "b"}\r\n')
        self.assertEqual(self.ids(), ["a", "b"])

    def test_secret_never_reaches_the_file(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        pending.append(self.home, REPOSITORY, row("a", prompts=["token " + secret], changes=[{"text": secret}]))
        self.assertNotIn(secret.encode(), self.raw())

    def test_quotes_backslashes_and_lone_surrogates_survive(self):
        text = 'a "quoted" \\ back\nslash \udcff \u2028 emoji \u2699'
        pending.append(self.home, REPOSITORY, row("half", answer="half an emoji \ud83d"))
        pending.append(self.home, REPOSITORY, row("a", answer=text))
        self.assertEqual([waiting["answer"] for waiting in pending.read(self.home, REPOSITORY)], ["half an emoji \ufffd", text])

    def test_stuck_holder_of_the_lock_loses_no_turn(self):
        pending.append(self.home, REPOSITORY, row("a"))
        with pending.lock.opened(self.home.pending(REPOSITORY), 1.0):
            pending.append(self.home, REPOSITORY, row("b"))
        self.assertEqual(self.ids(), ["a", "b"])
        pending.remove(self.home, REPOSITORY, "b")
        self.assertEqual(self.ids(), ["a"])

    def test_unwritable_home_keeps_the_turn_elsewhere_privately(self):
        folder = self.home.repository(REPOSITORY)
        os.rmdir(folder)
        with open(folder, "w", encoding="utf-8"):
            pass  # a file where the folder belongs fails for root too
        pending.append(self.home, REPOSITORY, row("a"))
        refuge = os.path.join(self.folder, "memsift-%d" % os.getuid())
        self.assertEqual(os.stat(refuge).st_mode & 0o777, 0o700)
        os.unlink(folder)
        self.assertEqual(self.ids(), ["a"])
        pending.remove(self.home, REPOSITORY, "a")
        self.assertEqual(self.ids(), [])

    def test_somebody_elses_folder_is_no_refuge(self):
        refuge = os.path.join(self.folder, "memsift-%d" % os.getuid())
        os.makedirs(os.path.join(refuge, REPOSITORY))
        os.chmod(refuge, 0o777)
        with open(os.path.join(refuge, REPOSITORY, "pending-x.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"id": "planted"}\n')
        self.assertEqual(self.ids(), [])

    def test_unreadable_file_is_not_an_empty_one(self):
        os.mkdir(self.home.pending(REPOSITORY))
        with self.assertRaises(OSError):
            pending.read(self.home, REPOSITORY)
        pending.append(self.home, REPOSITORY, row("a"))
        os.rmdir(self.home.pending(REPOSITORY))
        self.assertEqual(self.ids(), ["a"])

    def test_panes_append_while_a_worker_removes(self):
        panes = [multiprocessing.get_context("fork").Process(target=_append_many, args=(self.home, name, 30))
                 for name in ("p", "q", "r")]
        for pane in panes:
            pane.start()
        removed = set()
        while any(pane.is_alive() for pane in panes) or self.ids():
            for id in self.ids():
                pending.remove(self.home, REPOSITORY, id)
                self.assertNotIn(id, removed)
                removed.add(id)
        for pane in panes:
            pane.join()
        self.assertEqual(len(removed), 90)

    def test_old_turns_of_an_outage_do_not_slow_the_next_one(self):
        lines = "".join('{"id": "%d"}\n' % i for i in range(2_000))
        with open(self.home.pending(REPOSITORY), "w", encoding="utf-8") as file:
            file.write(lines)
        pending.append(self.home, REPOSITORY, row("new"))
        self.assertEqual(len(self.ids()), 2_001)


if __name__ == "__main__":
    unittest.main()
