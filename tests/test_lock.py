import multiprocessing
import os
import signal
import subprocess
import sys
import time
import unittest

from memsift import files
from memsift import lock
from tests.support import ROOT
from tests.support import HomeTest

_HOLD = """
import sys, time
sys.path.insert(0, sys.argv[1])
from memsift import lock
with lock.held(sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""


def _count_up(path, times):
    """Add one to the number in a file, `times` times, each time by replacing the file."""
    for _ in range(times):
        with lock.opened(path, 30.0):
            files.write_text(path, str(int(files.read_text(path) or "0") + 1))


def _append(path, name, times):
    for i in range(times):
        with lock.opened(path, 30.0) as descriptor:
            files.append_line(descriptor, b"%s-%d\n" % (name.encode(), i))


def _rotate(path, times):
    """What a writer does that replaces the file: read all of it, put a new one in its place."""
    for _ in range(times):
        with lock.opened(path, 30.0):
            files.write_text(path, files.read_text(path))


class Lock(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "replay.lock")

    def holder(self):
        """A process that holds the lock."""
        process = subprocess.Popen([sys.executable, "-c", _HOLD, ROOT, self.path], stdout=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"held\n")
        return process

    def refused(self, seconds):
        """How long it took to be refused."""
        start = time.monotonic()
        with self.assertRaises(lock.Locked):
            with lock.held(self.path, seconds):
                self.fail("two holders")
        return time.monotonic() - start

    def test_second_holder_is_refused_until_the_first_has_gone(self):
        with lock.held(self.path):
            self.refused(0.0)
        with lock.held(self.path):
            pass

    def test_lock_of_a_dead_process_is_free(self):
        holder = self.holder()
        self.refused(0.0)
        holder.kill()
        holder.wait()
        with lock.held(self.path, 1.0):
            pass

    def test_stopped_holder_is_given_up_within_the_seconds_told(self):
        holder = self.holder()
        holder.send_signal(signal.SIGSTOP)
        self.addCleanup(holder.send_signal, signal.SIGCONT)
        waited = self.refused(0.3)
        self.assertGreaterEqual(waited, 0.3)
        self.assertLess(waited, 3.0)
        self.refused(0.0)  # the live lock was not deleted meanwhile

    def test_whatever_stands_in_a_lock_file_is_no_obstacle(self):
        for content in (b"", b"999999\n", b'{"pid": 1, "host": "gone"}', b"\x00\xff garbage"):
            with self.subTest(content=content):
                with open(self.path, "wb") as file:
                    file.write(content)
                os.utime(self.path, (0, 0))
                with lock.held(self.path):
                    pass

    def test_lock_in_the_place_of_a_folder_or_pipe_is_an_error_not_a_wait(self):
        os.mkfifo(self.path)
        for path in (self.path, self.folder):
            with self.subTest(path=path), self.assertRaises(files.NotAFile):
                with lock.held(path, 5.0):
                    self.fail("held")
            with self.subTest(path=path), self.assertRaises(files.NotAFile):
                with lock.opened(path, 5.0):
                    self.fail("opened")

    def test_failure_inside_frees_the_lock(self):
        for take in (lock.held, lock.opened):
            with self.assertRaises(ZeroDivisionError):
                with take(self.path, 0.0):
                    raise ZeroDivisionError
            with take(self.path, 0.0):
                pass

    def test_child_process_does_not_inherit_the_lock(self):
        with lock.held(self.path):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], close_fds=False)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        with lock.held(self.path):
            pass


class Opened(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "data")

    def run_all(self, *jobs):
        processes = [multiprocessing.Process(target=job[0], args=job[1:]) for job in jobs]
        for process in processes:
            process.start()
        for process in processes:
            process.join(120)
            self.assertEqual(process.exitcode, 0)

    def test_eight_processes_count_together_and_lose_nothing(self):
        self.run_all(*[(_count_up, self.path, 40)] * 8)
        self.assertEqual(files.read_text(self.path), "320")

    def test_appending_beside_replacing_loses_no_line(self):
        jobs = [(_append, self.path, name, 60) for name in "abcd"] + [(_rotate, self.path, 40)] * 2
        self.run_all(*jobs)
        lines = files.read_text(self.path).splitlines()
        self.assertEqual(sorted(lines), sorted("%s-%d" % (name, i) for name in "abcd" for i in range(60)))

    def test_file_replaced_while_we_wait_is_noticed(self):
        with lock.opened(self.path, 0.0) as first:
            files.write_text(self.path, "new\n")
            with lock.opened(self.path, 0.0) as second:
                self.assertNotEqual(os.fstat(first).st_ino, os.fstat(second).st_ino)
                self.assertEqual(os.pread(second, 10, 0), b"new\n")

    def test_file_removed_meanwhile_is_made_again(self):
        with lock.opened(self.path, 0.0):
            os.unlink(self.path)
            with lock.opened(self.path, 0.0):
                self.assertTrue(os.path.exists(self.path))


if __name__ == "__main__":
    unittest.main()
