"""A developer's machine: a home, a repository, the plugin's repository, a clean environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from tests import processes
from tests.live import checkout
from tests.live import programs
from tests.live.line_process import LineProcess
from tests.live.memory import Memory


# The plugin as the hosts install it: large, and not changed by a test.
_PLUGIN = ("memsift.git", "home of o'neil/.claude/plugins", "home of o'neil/.codex/plugins",
           "home of o'neil/.codex/.tmp/marketplaces")


class Workdesk:
    """Everything lies below one temporary folder, whose path also marks the processes started here."""

    def __init__(self) -> None:
        self.started = []
        self.variables = {}  # more of them, for one test
        self.kept = ""
        self.root = tempfile.mkdtemp(prefix="memsift-live-")
        self.home = self._folder("home of o'neil")
        self.project = self._folder("acme-shop")
        self.temporary = self._folder("tmp")
        self.plugin = self._folder("memsift.git")
        self.memory = Memory(os.path.join(self.home, ".memsift"))
        self._give_hooks_this_python()
        self._start_project()
        checkout.snapshot(self.plugin)
        checkout.publish(self.plugin, self.home)

    def environment(self, **more: str) -> dict[str, str]:
        """The variables that a host is started with; nothing of the caller's environment is in it."""
        return dict({
            "PATH": os.pathsep.join([os.path.join(self.root, "bin"), programs.search_path()]),
            "HOME": self.home, "TMPDIR": self.temporary, "SHELL": "/bin/bash", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "GIT_CONFIG_NOSYSTEM": "1", "MEMSIFT_DEBUG": "1",
            "MEMSIFT_GRACE_SECONDS": "86400",  # no worker waits for the end of a grace time
        }, **self.variables, **more)

    def run(self, command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
        """Run a host program to its end in the project; raises AssertionError when it fails."""
        done = subprocess.run(command, cwd=self.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", timeout=120)
        if done.returncode:
            raise AssertionError("%r: exit %d\n%s\n%s" % (
                command, done.returncode, done.stdout[-4000:], done.stderr[-4000:]))
        return done

    def start(self, command: list[str], environment: dict[str, str]) -> LineProcess:
        """Start a host program that goes on in the project; it is ended with the desk at the latest."""
        self.started.append(LineProcess(command, self.project, environment))
        return self.started[-1]

    def settle(self, seconds: float = 60) -> dict[int, str]:
        """Wait until no process started here is left; gives the command lines of those that stay."""
        return processes.wait_until_gone(self.root, seconds)

    def keep(self) -> None:
        """Remember how everything is, for `renew`."""
        self.kept = tempfile.mkdtemp(prefix="memsift-kept-")
        shutil.copytree(self.root, self.kept, symlinks=True, dirs_exist_ok=True,
                        ignore=lambda folder, names: [name for name in names if os.path.join(folder, name) in self._plugin])

    def renew(self) -> None:
        """Make everything as it was when it was kept."""
        self.stop()
        self.variables.clear()
        self._clear(self.root)
        shutil.copytree(self.kept, self.root, symlinks=True, dirs_exist_ok=True)

    def stop(self) -> None:
        """End every program that was started here."""
        processes.end(self.root)
        for process in self.started:
            process.close()
        self.started.clear()

    def close(self) -> None:
        self.stop()
        for folder in filter(None, (self.root, self.kept)):
            shutil.rmtree(folder, ignore_errors=True)

    def _clear(self, folder: str) -> None:
        """Delete all that is in a folder but the plugin."""
        for entry in os.scandir(folder):
            if entry.path in self._plugin:
                continue
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
            elif any(path.startswith(entry.path + os.sep) for path in self._plugin):
                self._clear(entry.path)
            else:
                shutil.rmtree(entry.path)

    @property
    def _plugin(self) -> list[str]:
        return [os.path.join(self.root, *place.split("/")) for place in _PLUGIN]

    def _folder(self, name: str) -> str:
        path = os.path.join(self.root, name)
        os.makedirs(path)
        return path

    def _give_hooks_this_python(self) -> None:
        os.symlink(sys.executable, os.path.join(self._folder("bin"), "python3"))

    def _start_project(self) -> None:
        with open(os.path.join(self.project, "README.md"), "w", encoding="utf-8") as file:
            file.write("# acme-shop\n\nA small shop.\n")
        checkout.git(self.project, "init", "-q")
        checkout.git(self.project, "add", "README.md")
        checkout.git(self.project, "commit", "-q", "-m", "Start")
