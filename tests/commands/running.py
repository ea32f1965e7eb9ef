"""A test that runs commands as a user does: as processes of their own, in a project."""

import os
import subprocess
import sys

from tests.support import ROOT
from tests.support import HomeTest


class CommandTest(HomeTest):
    def start(self, *arguments, folder=None, **environment):
        return subprocess.Popen([sys.executable, "-B", "-m", "memsift", *arguments], cwd=folder or self.project,
                                env=dict(self.environment, PYTHONPATH=ROOT, **environment), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")

    def run_command(self, *arguments, **where):
        """The exit code, what it printed, and what it said on standard error."""
        process = self.start(*arguments, **where)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output, errors

    def everything(self):
        """The content of every file below the test's folder."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, "rb") as file:
                    found[path] = file.read()
        return found
