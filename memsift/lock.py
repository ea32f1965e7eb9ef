"""Locks that the kernel frees when their holder dies, so that none is ever stale.

Classes rather than generators with contextlib: every hook holds a lock, and few can afford to load that module.
"""

from __future__ import annotations

import fcntl
import os
import time

from memsift import files

_POLL_SECONDS = 0.005


class Locked(Exception):
    """Somebody else held the lock for as long as we could wait."""


class held:
    """Hold a lock file for the block. Raises Locked when it is not free within `seconds`."""

    def __init__(self, path: str, seconds: float = 0.0) -> None:
        self._path = path
        self._seconds = seconds

    def __enter__(self) -> None:
        self._descriptor = _open(self._path, os.O_RDWR | os.O_CREAT, self._seconds)

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


class opened:
    """A locked descriptor of a data file itself, for reading and appending; the file is made if absent.

    A writer may have replaced the file while we waited: then the lock is on a dead file, and we try the new one.
    Raises Locked when it is not free within `seconds`.
    """

    def __init__(self, path: str, seconds: float) -> None:
        self._path = path
        self._seconds = seconds

    def __enter__(self) -> int:
        give_up = time.monotonic() + self._seconds
        while True:
            wait = max(0.0, give_up - time.monotonic())
            self._descriptor = _open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, wait)
            if is_at(self._path, self._descriptor):
                return self._descriptor
            os.close(self._descriptor)

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _open(path: str, flags: int, seconds: float) -> int:
    """A descriptor that holds the lock of its file."""
    descriptor = files.open_plain(path, flags)
    try:
        _acquire(descriptor, path, seconds)
    except Locked:
        os.close(descriptor)
        raise
    return descriptor


def _acquire(descriptor: int, path: str, seconds: float) -> None:
    give_up = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() >= give_up:
                raise Locked(path) from None
        time.sleep(_POLL_SECONDS)


def is_at(path: str, descriptor: int) -> bool:
    """Whether a descriptor is of the file that the path leads to now."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    here = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
