import os
import random
import subprocess
import sys
import unittest
from unittest import mock

from memsift import files
from memsift import tail
from tests.support import ROOT
from tests.support import HomeTest

EVERYTHING = 1 << 40
_MEASURE = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
from memsift import tail
start = time.process_time()
lines = [line for line in tail.lines_backwards(sys.argv[2], int(sys.argv[3])) if line.strip(b"\\0")]
if sys.platform == "linux":  # the other figure counts what the parent held before the start
    with open("/proc/self/status", encoding="utf-8") as file:
        peak = int(file.read().partition("VmHWM:")[2].split()[0])
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(len(lines), lines[0].decode(), int(time.process_time() - start), peak)
"""


def backwards(raw, longest):
    """What reading backwards must give: the plain way, in memory."""
    return [line for line in reversed(raw.split(b"\n")) if line and len(line) <= longest]


def forwards(raw, longest):
    lines = raw.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip(b"\r") for line in lines if len(line) <= longest]


class Tail(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "transcript.jsonl")

    def put(self, raw):
        with open(self.path, "wb") as file:
            file.write(raw)

    def test_same_lines_as_splitting_it_whole_whatever_the_blocks(self):
        maker = random.Random(20261130)
        for number in range(300):
            raw = b"".join(maker.choice((b"a", b"{}", b"\n", b"\n\n", b"\r\n", b"\0", b"\xff\x9d",
                                         b"x" * maker.randrange(30)))
                           for _ in range(maker.randrange(60)))
            longest = maker.choice((20, 40, 10_000))
            self.put(raw)
            with self.subTest(number=number), mock.patch.object(tail, "LONGEST_LINE", longest), \
                    mock.patch.object(tail, "BLOCK_BYTES", maker.randrange(1, 20)):
                self.assertEqual(list(tail.lines_backwards(self.path, EVERYTHING)), backwards(raw, longest))
                self.assertEqual(list(tail.lines_forwards(self.path)), forwards(raw, longest))

    def test_limit_never_cuts_a_line_in_two(self):
        raw = b"".join(b"line %d\n" % i for i in range(200))
        self.put(raw)
        for limit in range(0, 200):
            with mock.patch.object(tail, "BLOCK_BYTES", 7):
                found = list(tail.lines_backwards(self.path, limit))
            self.assertEqual(found, backwards(raw, 100)[:len(found)])
            self.assertGreaterEqual(sum(len(line) + 1 for line in found), limit - len(b"line 199\n"))

    def test_line_that_is_still_being_written_comes_first(self):
        self.put(b'{"a": 1}\n{"b": 2')
        self.assertEqual(list(tail.lines_backwards(self.path, EVERYTHING)), [b'{"b": 2', b'{"a": 1}'])
        self.assertEqual(list(tail.lines_forwards(self.path)), [b'{"a": 1}', b'{"b": 2'])

    def test_too_long_line_is_left_out_and_its_neighbours_stay(self):
        longest = tail.LONGEST_LINE
        for length, kept in ((longest, True), (longest + 1, False), (3 * longest, False)):
            self.put(b"first\n" + b"x" * length + b"\nlast\n")
            with self.subTest(length=length):
                expected = [5, length, 4] if kept else [5, 4]
                self.assertEqual([len(line) for line in tail.lines_forwards(self.path)], expected)
                self.assertEqual([len(line) for line in tail.lines_backwards(self.path, EVERYTHING)],
                                 expected[::-1])

    def test_file_that_grows_or_shrinks_meanwhile_gives_what_was_there(self):
        raw = b"".join(b"line %d\n" % i for i in range(100))
        self.put(raw)
        with mock.patch.object(tail, "BLOCK_BYTES", 64):
            found = []
            for line in tail.lines_backwards(self.path, EVERYTHING):
                found.append(line)
                with open(self.path, "ab") as file:
                    file.write(b"later\n")
            self.assertEqual(found, backwards(raw, 100))
            reading = tail.lines_backwards(self.path, EVERYTHING)
            next(reading)
            os.truncate(self.path, 0)
            list(reading)

    def test_nothing_to_read(self):
        self.put(b"")
        self.assertEqual((list(tail.lines_backwards(self.path, EVERYTHING)),
                          list(tail.lines_forwards(self.path))), ([], []))
        os.unlink(self.path)
        os.mkfifo(self.path)
        for path, error in ((self.path, files.NotAFile), (self.folder, files.NotAFile),
                            (self.path + "x", FileNotFoundError)):
            with self.subTest(path=path), self.assertRaises(error):
                next(tail.lines_backwards(path, EVERYTHING))
            with self.subTest(path=path), self.assertRaises(error):
                next(tail.lines_forwards(path))

    def test_600_megabytes_are_read_from_the_end_in_little_memory(self):
        self.put(b"first\n")
        os.truncate(self.path, 600_000_000)
        with open(self.path, "ab") as file:
            file.write(b"\nlast\n")
        for limit, count in ((2_000_000, 1), (EVERYTHING, 2)):
            # "first", a line of zeros that is too long, and "last".
            done = subprocess.run([sys.executable, "-c", _MEASURE, ROOT, self.path, str(limit)],
                                  stdout=subprocess.PIPE, check=True)
            found, newest, seconds, kilobytes = done.stdout.split()
            with self.subTest(limit=limit):
                self.assertEqual((int(found), newest), (count, b"last"))
                self.assertLess(int(kilobytes), 80_000)
                self.assertLess(int(seconds), 20)


if __name__ == "__main__":
    unittest.main()
