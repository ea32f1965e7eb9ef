"""Locks that the kernel frees when their holder dies, so that none is ever stale."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from memsift import files

_POLL_SECONDS = 0.005


class Locked(Exception):
    """Somebody else held the lock for as long as we could wait."""


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


@contextlib.contextmanager
def held(path: str, seconds: float = 0.0) -> Iterator[None]:
    """Hold a lock file for the block. Raises Locked when it is not free within `seconds`."""
    descriptor = files.open_plain(path, os.O_RDWR | os.O_CREAT)
    try:
        _acquire(descriptor, path, seconds)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def opened(path: str, seconds: float) -> Iterator[int]:
    """A locked descriptor of a data file itself, for reading and appending; the file is made if absent.

    A writer may have replaced the file while we waited: then the lock is on a dead file, and we try the new one.
    """
    give_up = time.monotonic() + seconds
    while True:
        descriptor = files.open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            _acquire(descriptor, path, max(0.0, give_up - time.monotonic()))
            if _same_file(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _same_file(descriptor: int, path: str) -> bool:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    here = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
