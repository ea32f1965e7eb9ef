"""One limit for everything that a moment does, on a clock that nobody can set back."""

from __future__ import annotations

import time


class DeadlinePassed(Exception):
    """The time for this moment is over: answer with what is there."""


class Deadline:
    """A point on the monotonic clock, created once per hook or worker and passed down."""

    __slots__ = ("started", "at")

    def __init__(self, seconds: float, started: float | None = None) -> None:
        self.started = time.monotonic() if started is None else started
        self.at = self.started + seconds

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - time.monotonic())

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def within(self, seconds: float) -> "Deadline":
        """A shorter deadline from now, which never outlives this one."""
        return Deadline(min(seconds, self.remaining()))
