"""What every moment works with: the files, the settings, the log, the time that it has, and the day."""

from __future__ import annotations

import os
import time

from memsift import home
from memsift import log
from memsift import settings
from memsift.deadline import Deadline


class Runtime:
    """Opened once per process. Raises home.NoHome where nothing can be kept."""

    __slots__ = ("home", "settings", "log", "deadline")

    def __init__(self, deadline: Deadline) -> None:
        self.home = home.Home(home.locate())
        self.settings = settings.Settings()
        if self.settings["SSL_CERT_FILE"]:
            os.environ["SSL_CERT_FILE"] = str(self.settings["SSL_CERT_FILE"])  # TLS looks for it there
        self.log = log.Log(self.home.log, decisions=bool(self.settings["MEMSIFT_DEBUG"]))
        self.deadline = deadline

    def today(self) -> str:
        """The date of what is remembered now."""
        return time.strftime("%Y-%m-%d")

    def record(self, facts: dict) -> None:
        """Keep a request to a service and its answer, for calibration."""
        from memsift import recorder  # only where the user wants recordings
        recorder.record(self.home.recordings, facts)

    def start_worker(self, repository: str, *task: str) -> None:
        """Have the ended turns of a repository sorted, or another `task` of a worker done, without waiting for it."""
        from memsift import spawn  # a prompt starts none
        spawn.worker(repository, *task)
