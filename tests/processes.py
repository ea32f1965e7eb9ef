"""Which processes a test has left behind. Needs /proc, that is Linux."""

from __future__ import annotations

import os
import signal
import time

_LOOKS = 50  # at a process that seems to have no environment


def bearing(mark: str) -> dict[int, str]:
    """Running processes that have `mark`, a folder's path, in their environment or command line.

    Gives the command line by process id, this process left out. A process that ends while we look may have just
    started another that the listing did not have yet: then we look again.
    """
    while True:
        found, has_missed = {}, False
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            if pid == os.getpid():
                continue
            try:
                command, variables = _read(pid, "cmdline"), _environment(pid)
            except OSError:  # somebody else's, dead, or ended meanwhile
                has_missed |= not os.path.exists("/proc/%d" % pid)
                continue
            if os.fsencode(mark) in command + variables:
                found[pid] = os.fsdecode(command.replace(b"\0", b" ")).strip()
        if found or not has_missed:
            return found


def wait_until_gone(mark: str, seconds: float) -> dict[int, str]:
    """Wait for every process that bears the mark to end; gives those that did not.

    A dead process that nobody has asked after yet may have started another, which one look can miss: three must agree.
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


def _environment(pid: int) -> bytes:
    """The variables of a process; between two programs, Linux shows none for a moment."""
    for _ in range(_LOOKS):
        variables = _read(pid, "environ")
        if variables or not _has_program(pid):
            return variables
        time.sleep(0.001)
    return b""


def _has_program(pid: int) -> bool:
    """Whether this is a running process, and neither a dead one nor a thread of the kernel's."""
    try:
        os.readlink("/proc/%d/exe" % pid)
    except OSError:
        return False
    return True


def _read(pid: int, name: str) -> bytes:
    with open("/proc/%d/%s" % (pid, name), "rb") as file:
        return file.read()
