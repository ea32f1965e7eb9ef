"""What holds for every command: help, wrong usage, a home that is broken, a pipe that is closed."""

import os
import subprocess
import sys
import unittest

from memsift import commands
from tests.commands.running import CommandTest
from tests.replay import acme_shop
from tests.support import ROOT

# What a command has to be told at least. The other ones are complete as they are.
NEEDED = {"replay": (acme_shop.FILE,)}


class EveryCommand(CommandTest):
    def each(self):
        for name in commands.names():
            with self.subTest(name):
                yield name, (name,) + tuple(NEEDED.get(name, ()))

    def test_help_says_what_it_does(self):
        for name, _ in self.each():
            code, output, errors = self.run_command(name, "--help")
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("usage: python3 -m memsift %s" % name, output)
            self.assertGreater(len(output.split()), 12)
        self.assertEqual(os.listdir(self.user_home), [])

    def test_bad_argument(self):
        for name, line in self.each():
            code, output, errors = self.run_command(*line, "--no-such-option")
            self.assertEqual((code, output), (2, ""))
            self.assertIn("--no-such-option", errors)

    def test_broken_home_is_told_in_plain_words(self):
        blocked = os.path.join(self.folder, "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        places = ({"HOME": "/nonexistent"}, {"MEMSIFT_HOME": "relative"}, {"MEMSIFT_HOME": blocked},
                  {"MEMSIFT_HOME": os.path.join(blocked, "below")})
        for name, line in self.each():
            for where in places:
                code, output, errors = self.run_command(*line, **where)
                self.assertIn(code, (0, 1), errors)
                self.assertNotIn("Traceback", errors)
                if code and not output:
                    self.assertRegex(errors, r"(?s)\Amemsift: .*\n\Z")

    def test_folder_without_a_project_and_one_that_is_gone(self):
        gone = os.path.join(self.folder, "gone")
        for name, line in self.each():
            self.assertNotIn("Traceback", self.run_command(*line, folder=self.user_home)[2])
            os.mkdir(gone)
            command = ["/bin/sh", "-c", 'rmdir "$0"; exec "$@"', gone, sys.executable, "-B", "-m", "memsift", *line]
            done = subprocess.run(command, cwd=gone, env=dict(self.environment, PYTHONPATH=ROOT), timeout=120, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn(done.returncode, (0, 1))
            self.assertNotIn("Traceback", done.stderr)

    def test_closed_pipe_ends_it_quietly(self):
        for name, line in self.each():
            process = self.start(*line)
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertIn(process.wait(timeout=120), (0, 1))
            self.assertNotIn("Traceback", errors)
            self.assertNotIn("BrokenPipe", errors)

    def test_no_colour_where_nobody_sees_it(self):
        for name, line in self.each():
            self.assertNotIn("\033", "".join(self.run_command(*line, TERM="xterm-256color")[1:]))


class Names(unittest.TestCase):
    def test_a_command_is_one_file(self):
        for name in commands.names():
            module = commands.load(name)
            self.assertEqual(module.NAME, name)
            self.assertTrue(module.HELP)
        with self.assertRaises(KeyError):
            commands.load("no-such-command")


if __name__ == "__main__":
    unittest.main()
