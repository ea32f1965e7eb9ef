"""One service behind its pauses: whether it may be called, and what becomes of it after each call."""

from __future__ import annotations

from memsift import lock
from memsift.log import Log
from memsift.remote.pauses import Pause
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed


class Guard:
    """`service`: its name in state.json and in the log. A state that cannot be read or written stops nothing."""

    def __init__(self, service: str, pauses: Pauses, log: Log) -> None:
        self._service = service
        self._pauses = pauses
        self._log = log

    def pause(self) -> Pause | None:
        """The pause of the service, None where it may be called."""
        try:
            return self._pauses.of(self._service)
        except OSError as error:
            self._log.error("pauses", "state not read: %s" % error, error)
            return None

    def note(self, area: str, error: Failed) -> None:
        """Log a failure that does not count."""
        self._log.error(area, "%s %s" % (self._service, error))

    def failed(self, area: str, error: Failed) -> None:
        """Log and count a failure."""
        self.note(area, error)
        try:
            self._pauses.failed(self._service, error.status, error.message)
        except (OSError, lock.Locked) as problem:
            self._log.error("pauses", "failure not counted: %s" % problem, problem)

    def succeeded(self) -> None:
        """Count a success."""
        try:
            self._pauses.succeeded(self._service)
        except (OSError, lock.Locked) as problem:
            self._log.error("pauses", "success not counted: %s" % problem, problem)
