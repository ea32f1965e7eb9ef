"""Which processes a live test has left behind."""

from __future__ import annotations

import os
import signal
import time


def bearing(mark: str) -> dict[int, str]:
    """Running processes that have `mark`, a folder's path, in their environment or command line.

    Gives the command line by process id, this process left out. Needs /proc, that is Linux.
    """
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        command = _read(name, "cmdline")
        if os.fsencode(mark) in command + _read(name, "environ"):
            found[int(name)] = os.fsdecode(command.replace(b"\0", b" ")).strip()
    return found


def wait_until_gone(mark: str, seconds: float) -> dict[int, str]:
    """Wait for every process that bears the mark to end; gives those that did not.

    One look can miss a process that is just being started by another that ends, so three must agree.
    """
    deadline = time.monotonic() + seconds
    left = {}
    looks_without = 0
    while looks_without < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        left = bearing(mark)
        looks_without = 0 if left else looks_without + 1
    return left


def end(mark: str) -> None:
    """End, one by one, the processes that bear the mark."""
    for pid in bearing(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _read(pid: str, name: str) -> bytes:
    try:
        with open("/proc/%s/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        # It ended meanwhile, or belongs to somebody else.
        return b""
