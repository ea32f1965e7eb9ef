import json
import multiprocessing
import os
import re
import unittest
from unittest import mock

from memsift import log
from memsift.log import Log
from tests.support import HomeTest

_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def _write_many(path, name, times):
    writer = Log(path, decisions=True)
    for i in range(times):
        writer.decision("core-prompt", {"writer": name, "number": i, "padding": "p" * (i * 37 % 3000)})


def _write_and_rotate(path, name, times):
    with mock.patch.object(log, "ROTATE_BYTES", 4_000):
        _write_many(path, name, times)


def fail(message):
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


class LogTest(HomeTest):
    def setUp(self):
        super().setUp()
        self.log = Log(self.home.log, decisions=True)

    def lines(self):
        return self.log_text().split("\n")[:-1]

    def run_all(self, job, *arguments):
        processes = [multiprocessing.Process(target=job,
                                             args=(self.home.log, name) + arguments) for name in "abcdefgh"]
        for process in processes:
            process.start()
        for process in processes:
            process.join(120)
            self.assertEqual(process.exitcode, 0)


class Forms(LogTest):
    def test_lines_have_the_documented_forms(self):
        self.log.decision("core-prompt", {"kind": "past_choice", "added": ["k1"]})
        self.log.decision("jev-tokens", {"estimated_tokens": 3, "input_tokens": 4})
        self.log.error("core-prompt", "cognee status=0 duration=12.000")
        for line, rest in zip(self.lines(),
                              (r'DECISION core-prompt {"kind": "past_choice", "added": \["k1"\]}',
                                             r'DECISION jev-tokens {"estimated_tokens": 3, "input_tokens": 4}',
                                             r"ERROR core-prompt cognee status=0 duration=12\.000")):
            self.assertRegex(line, r"\A%s %s\Z" % (_STAMP, rest))
        self.assertEqual(len(self.lines()), 3)

    def test_decisions_only_when_asked_for_and_errors_always(self):
        quiet = Log(self.home.log)
        quiet.decision("core-prompt", {"kind": "reaction"})
        self.assertEqual(self.log_text(), "")
        quiet.error("core-prompt", "went wrong")
        self.assertEqual(len(self.lines()), 1)

    def test_traceback_is_indented_below_its_line(self):
        self.log.error("core-prompt", "went wrong", fail("two\nlines"))
        self.log.decision("core-prompt", {})
        lines = self.lines()
        self.assertRegex(lines[0], "ERROR core-prompt went wrong$")
        self.assertTrue(all(line.startswith("    ") for line in lines[1:-1]), lines)
        self.assertIn("    ValueError: two", lines)
        self.assertIn("DECISION", lines[-1])

    def test_text_with_line_breaks_and_control_characters_stays_one_record_and_moves_no_terminal(self):
        hostile = "a\nERROR core-prompt faked\r\n\x1b[2J\x07\0\x9b2J\x7f\ttab \u2028 \ud83d end"
        self.log.error("core-prompt", hostile)
        self.log.decision("core-prompt", {"note": hostile})
        first, second, third, decision = self.lines()
        self.assertEqual([line[:4] for line in (second, third)], ["    ", "    "])
        self.assertNotRegex(self.log_text(), "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        self.assertIsInstance(json.loads(decision.partition("core-prompt ")[2]), dict)
        self.assertIn("\t", third)
        self.assertIn("core-prompt a", first)

    def test_secrets_are_nowhere_in_it(self):
        self.log.error("core-prompt", "token " + SECRET, fail("password=" + SECRET))
        self.log.decision("core-prompt",
                          {"note": SECRET, "list": ["key " + SECRET], "object": {"a": {"b": SECRET}}})
        self.assertEqual(len([line for line in self.lines() if re.match(_STAMP, line)]), 2)
        self.assertNotIn(SECRET, self.log_text())


class Rotation(LogTest):
    def logs(self):
        return sorted(name for name in os.listdir(self.memsift_home))

    def test_one_previous_file_is_kept_and_never_more(self):
        with mock.patch.object(log, "ROTATE_BYTES", 2_000):
            _write_many(self.home.log, "a", 60)
        self.assertEqual(self.logs(), ["debug.log", "debug.log.1"])
        for name in self.logs():
            with open(os.path.join(self.memsift_home, name), encoding="utf-8") as file:
                numbers = [json.loads(line.partition("core-prompt ")[2])["number"] for line in file]
            self.assertTrue(numbers)
            self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)))

    def test_bound_is_the_documented_one_and_is_kept(self):
        self.assertEqual(log.ROTATE_BYTES, 20_000_000)
        with mock.patch.object(log, "ROTATE_BYTES", 1_000):
            for _ in range(30):
                self.log.error("core-prompt", "x" * 200)
                self.assertLessEqual(os.path.getsize(self.home.log), 1_000)

    def test_eight_processes_write_whole_lines(self):
        self.run_all(_write_many, 40)
        rows = [json.loads(line.partition("core-prompt ")[2]) for line in self.lines()]
        self.assertEqual(sorted((row["writer"], row["number"]) for row in rows),
                         [(name, i) for name in "abcdefgh" for i in range(40)])

    def test_eight_processes_that_rotate_write_whole_lines(self):
        self.run_all(_write_and_rotate, 40)
        self.assertEqual(self.logs(), ["debug.log", "debug.log.1"])
        for line in self.lines():
            json.loads(line.partition("core-prompt ")[2])


class Failures(LogTest):
    def test_log_that_cannot_be_written_is_no_reason_for_anything_else_to_fail(self):
        file = os.path.join(self.folder, "file")
        open(file, "wb").close()
        os.mkdir(os.path.join(self.folder, "folder"))
        os.mkfifo(os.path.join(self.folder, "pipe"))
        os.symlink("/dev/null", os.path.join(self.folder, "link"))
        for path in (os.path.join(file, "debug.log"), "/proc/nowhere/debug.log",
                     os.path.join(self.folder, "folder"),
                     os.path.join(self.folder, "pipe"), os.path.join(self.folder, "link"), "/dev/full"):
            with self.subTest(path=path):
                Log(path, decisions=True).error("core-prompt", "x", fail("y"))
                Log(path, decisions=True).decision("core-prompt", {})

    def test_disk_full_leaves_whole_lines_and_goes_on_later(self):
        self.log.error("core-prompt", "first")
        before = self.log_text()
        real = os.write
        answers = [lambda *a: real(a[0], bytes(a[1][:5])), OSError(28, "No space left on device")]
        with mock.patch("os.write", side_effect=lambda *a: self.take(answers, a)):
            self.log.error("core-prompt", "second")
        self.assertEqual(self.log_text(), before)
        self.log.error("core-prompt", "third")
        self.assertEqual([line.rpartition(" ")[2] for line in self.lines()], ["first", "third"])

    @staticmethod
    def take(answers, arguments):
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer(*arguments)

    def test_line_of_a_killed_writer_spares_the_next(self):
        self.log.error("core-prompt", "first")
        with open(self.home.log, "ab") as file:
            file.write(b"2026-11-30T01:02:03.000Z ERR")
        self.log.error("core-prompt", "second")
        self.assertRegex(self.lines()[-1], r"\A%s ERROR core-prompt second\Z" % _STAMP)

    def test_silent_log_writes_nothing(self):
        log.Silent().error("core-prompt", "x", fail("y"))
        self.assertFalse(os.path.exists(self.memsift_home))


if __name__ == "__main__":
    unittest.main()
