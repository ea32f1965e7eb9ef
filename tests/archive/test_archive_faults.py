import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from unittest import mock

from memsift import files
from memsift.archive import archive_file
from memsift.archive.archive import Archive
from tests.archive.test_archive import ArchiveTest
from tests.archive.test_archive import entry
from tests.support import ROOT


def _write(path, name, times):
    for i in range(times):
        Archive(path, wait=30.0).add([entry("%s%d" % (name, i), "the port of %s is %d" % (name, 9000 + i))])


def _read(path, name, times):
    for _ in range(times):
        Archive(path, wait=30.0).closest("the port of a is 9000")


def _change(path, name, times):
    """What the processes of a day do, in any order: each works on ids of its own and on one that all share."""
    archive, maker = Archive(path, wait=60.0), random.Random(name)
    for i in range(times):
        archive.add([entry("%s%d" % (name, i), "the port of %s is %d" % (name, 9000 + i)), entry("shared", name * 3 + "xyz")])
        if maker.random() < 0.3:
            archive.remove(["%s%d" % (name, i)])
        elif maker.random() < 0.3:
            archive.remake_index()
        archive.closest("the port of %s is %d" % (name, 9000 + i))
        archive.ids()
    archive.add([entry(name + "last", "the last word of " + name)])


def _no_more_pages(connection, wait):
    connection.execute("PRAGMA max_page_count = %d" % (connection.execute("PRAGMA page_count").fetchone()[0] + 3))


_ADD_FOR_EVER = """
import sys
sys.path.insert(0, sys.argv[1])
from memsift.archive.archive import Archive
from memsift.entry import Entry
for i in range(1_000_000):
    one, other = Entry("k%d" % (i % 7), "2026-11-30", "the port is %d" % i), Entry("n%d" % i, "", "more words")
    Archive(sys.argv[2]).add([one, other])
    print(i, flush=True)
"""


class Robustness(ArchiveTest):
    def test_file_whose_writer_was_killed_before_its_first_table_is_an_empty_archive(self):
        with open(self.archive.path, "wb"):
            pass
        self.assertEqual((self.archive.closest("anything at all"), self.archive.ids()), ([], set()))

    def test_four_writers_and_four_readers_at_once(self):
        jobs = [multiprocessing.Process(target=_write, args=(self.archive.path, name, 15)) for name in "abcd"]
        jobs += [multiprocessing.Process(target=_read, args=(self.archive.path, name, 15)) for name in "abcd"]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join(120)
            self.assertEqual(job.exitcode, 0)
        self.assertEqual(len(self.archive.ids()), 60)
        self.check_index()

    def test_adding_searching_removing_and_indexing_at_once(self):
        jobs = [multiprocessing.Process(target=_change, args=(self.archive.path, name, 10)) for name in "abcde"]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join(120)
            self.assertEqual(job.exitcode, 0)
        self.assertLessEqual({"shared"} | {name + "last" for name in "abcde"}, self.archive.ids())
        self.check_index()

    def test_full_disk_is_told_and_leaves_everything_as_it_was(self):
        """SQLite itself is told that there is no page left; that is the error that a full disk gives."""
        self.archive.add([entry("k1", "zebra")])
        with mock.patch.object(archive_file, "prepare", _no_more_pages), self.assertRaises(sqlite3.OperationalError) as caught:
            self.archive.add([entry("n%d" % i, "the port is %d" % i) for i in range(500)])
        self.assertIn("full", str(caught.exception))
        self.assertEqual((self.archive.ids(), self.found("zebra")), ({"k1"}, ["k1"]))
        self.check_index()
        self.archive.add([entry("k2", "lion")])
        self.assertEqual(self.found("lion"), ["k2"])

    def test_file_that_may_only_be_read_is_searched_and_not_written(self):
        self.archive.add([entry("k1", "zebra")])
        real = files.open_plain

        def open_plain(path, flags=os.O_RDONLY):
            if flags & (os.O_RDWR | os.O_WRONLY):
                raise PermissionError(13, "Permission denied", path)
            return real(path, flags)
        with mock.patch.object(files, "open_plain", open_plain):
            self.assertEqual((self.found("zebra"), self.archive.holds("k1")), (["k1"], True))
            with self.assertRaises(PermissionError):
                self.archive.add([entry("k2")])
        self.assertEqual(sorted(os.listdir(os.path.dirname(self.archive.path))), ["archive.db"])

    def test_log_that_a_killed_process_left_beside_the_file_is_read(self):
        self.archive.add([entry("k1", "zebra")])
        left = os.path.join(self.folder, "left.db")
        with self.archive._connected() as connection:  # while it is open, what is written stays in the log
            connection.execute("SELECT count(*) FROM entries").fetchone()
            self.archive.add([entry("k2", "okapi")])
            for suffix in ("", "-wal"):
                shutil.copy(self.archive.path + suffix, left + suffix)
        self.assertEqual([found.id for found in Archive(left).closest("okapi")], ["k2"])
        Archive(left).add([entry("k3")])
        self.assertEqual(Archive(left).ids(), {"k1", "k2", "k3"})

    def test_killed_in_the_middle_of_adding_leaves_a_usable_file(self):
        for round in range(5):
            process = subprocess.Popen([sys.executable, "-c", _ADD_FOR_EVER, ROOT, self.archive.path],
                                       stdout=subprocess.PIPE)
            for _ in range(3 + round * 4):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            self.assertTrue(self.found("the port"))
            self.check_index()
        self.archive.add([entry("k1", "zebra")])
        self.assertEqual(self.found("zebra"), ["k1"])

    def test_corrupt_file_is_told_and_can_be_set_aside(self):
        self.archive.add([entry("k1", "zebra")])
        with open(self.archive.path, "rb") as file:
            good = file.read()
        for raw in (b"not a database at all" * 400, good[:100] + b"\xff" * (len(good) - 100)):
            with open(self.archive.path, "wb") as file:
                file.write(raw)
            for act in (lambda: self.archive.add([entry("k2", "zebra")]),
                        lambda: self.archive.closest("zebra"), self.archive.ids):
                with self.subTest(raw=raw[:10]), self.assertRaises(sqlite3.DatabaseError) as caught:
                    act()
                self.assertNotIsInstance(caught.exception,
                                         sqlite3.OperationalError)  # that would mean: try again later
            aside = self.archive.set_aside()
            with open(aside, "rb") as file:
                self.assertEqual(file.read(), raw)
            self.archive.add([entry("k3", "zebra")])
            self.assertEqual(self.found("zebra"), ["k3"])

    def test_link_pipe_and_folder_are_not_followed(self):
        target = os.path.join(self.folder, "target.db")
        Archive(target).add([entry("k1", "zebra")])
        for make in (lambda: os.symlink(target, self.archive.path), lambda: os.mkfifo(self.archive.path),
                     lambda: os.mkdir(self.archive.path)):
            make()
            with self.assertRaises(OSError):
                self.archive.closest("zebra")
            with self.assertRaises(OSError):
                self.archive.add([entry("k2")])
            (os.rmdir if os.path.isdir(self.archive.path) else os.unlink)(self.archive.path)
        self.assertEqual(Archive(target).ids(), {"k1"})

    def test_writer_that_holds_the_file_is_waited_for_no_longer_than_told(self):
        self.archive.add([entry("k1", "zebra")])
        with self.archive._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            start = time.monotonic()
            with self.assertRaises(sqlite3.OperationalError):
                Archive(self.archive.path, wait=0.2).add([entry("k2")])
            self.assertLess(time.monotonic() - start, 5.0)
            self.assertEqual(self.found("zebra"), ["k1"])  # readers do not wait at all
            connection.execute("ROLLBACK")

    def test_ten_thousand_entries_are_searched_at_once(self):
        maker = random.Random(3)
        letters = "abcdefghijklmnopqrstuvwxyz"
        words = ["".join(maker.choices(letters, k=8)) for _ in range(4000)] + ["the", "we", "is"] * 400
        self.archive.add([entry("k%d" % i, " ".join(maker.choices(words, k=25))) for i in range(10_000)])
        self.archive.add([entry("needle", "the zebra is on port 8443")])
        spent = []
        for _ in range(9):
            start = time.perf_counter()
            asked = "the zebra we is the port of %s the zebra" % " ".join(maker.choices(words, k=8))
            self.assertEqual(self.found(asked)[0], "needle")
            spent.append(time.perf_counter() - start)
        self.assertLess(sorted(spent)[4], 0.5)


if __name__ == "__main__":
    unittest.main()
