"""What is examined: this machine's memsift, seen from one folder. Looking at it changes nothing."""

from __future__ import annotations

import json
import os
import time

from memsift import files
from memsift import project
from memsift import switch
from memsift.deadline import Deadline
from memsift.home import Home
from memsift.settings import Settings


class Case:
    """`root`: MEMSIFT_HOME. `folder`: where the developer works. `host`: the one that asks, "" for a shell."""

    def __init__(self, root: str, settings: Settings, folder: str, deadline: Deadline, host: str = "",
                 environment: dict[str, str] | None = None, now: float | None = None) -> None:
        self.root = root
        self.settings = settings
        self.folder = folder
        self.deadline = deadline
        self.host = host
        self.environment = dict(os.environ) if environment is None else environment
        self.now = time.time() if now is None else now
        self.user_home = self.environment.get("HOME", "")
        self.project = project.identify(folder, self.user_home)
        self.sessions = self._read_sessions()

    @property
    def in_sandbox(self) -> bool:
        """Whether Codex runs this in its sandbox, without network and without leave to write."""
        return bool(self.environment.get("CODEX_SANDBOX_NETWORK_DISABLED") or self.environment.get("CODEX_SANDBOX"))

    @property
    def is_off(self) -> bool:
        """Whether memory is switched off, everywhere or in this repository."""
        return self.settings.sorter == "off" or bool(self.project) and switch.is_off(Home(self.root), self.project.name)

    @property
    def state(self) -> dict:
        """The services' facts in state.json; empty where it is missing or broken."""
        services = self.json(self.path("state.json")).get("services")
        return {name: facts for name, facts in services.items() if isinstance(facts, dict)} \
            if isinstance(services, dict) else {}

    def path(self, *names: str) -> str:
        """A path below MEMSIFT_HOME. Unlike memsift.home, it makes no folder."""
        return os.path.join(self.root, *names)

    def repositories(self) -> list[str]:
        """The names of all repositories with a memory, this one first."""
        try:
            names = sorted(os.listdir(self.path("repos")))
        except OSError:
            return []
        here = self.project.name if self.project else ""
        found = [name for name in names if os.path.isdir(self.path("repos", name))]
        return sorted(found, key=lambda name: name != here)

    def json(self, path: str) -> dict:
        """The object in a file; empty where there is none to be had."""
        try:
            found = json.loads(files.read_text(path))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def since(self, moment: float) -> str:
        """How long ago that was, in words."""
        return ago(self.now - moment)

    def _read_sessions(self) -> list[dict]:
        """Every readable session file, the one seen last first."""
        found = [self.json(path) for path in paths_in(self.path("sessions")) if path.endswith(".json")]
        return sorted(filter(None, found), key=lambda facts: -number(facts.get("seen")))


def paths_in(folder: str) -> list[str]:
    """The paths of everything in a folder; none where it is missing or closed."""
    if not os.path.isdir(folder) or not os.access(folder, os.R_OK | os.X_OK):
        return []
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def number(value: object) -> float:
    """A number out of a file; 0 for anything else."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def ago(seconds: float) -> str:
    """A span of time as a person would say it."""
    for name, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return "%d %s%s ago" % (count, name, "" if count == 1 else "s")
    return "just now"


def counted(count: int, noun: str) -> str:
    """"1 turn", "2 turns"."""
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")
