import os
import re
import subprocess
import sys
import unittest

import memsift
from memsift import commands
from tests.support import ROOT


class MainTest(unittest.TestCase):

    def run_memsift(self, *arguments):
        return subprocess.run([sys.executable, "-m", "memsift", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, encoding="utf-8", timeout=60, check=False,
                              env={"PATH": os.environ["PATH"]})

    def test_help_lists_every_command(self):
        done = self.run_memsift("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in commands.names():
            self.assertRegex(done.stdout, r"(?m)^    %s +\w" % re.escape(name))

    def test_help_of_every_command_fits_a_terminal(self):
        for name in commands.names():
            with self.subTest(name):
                self.assertEqual(commands.load(name).NAME, name)
                done = self.run_memsift(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(all(len(line) <= 115 for line in done.stdout.splitlines()))

    def test_version(self):
        self.assertEqual(self.run_memsift("--version").stdout, "memsift %s\n" % memsift.__version__)

    def test_wrong_usage(self):
        for arguments in ((), ("no-such-command",), ("--no-such-option",)):
            with self.subTest(arguments):
                done = self.run_memsift(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("usage: python3 -m memsift", done.stderr)
