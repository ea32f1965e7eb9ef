"""The locks: who holds one, since when, and whether that process is still at work."""

from __future__ import annotations

import os

from memsift.doctor.case import Case
from memsift.doctor.case import ago
from memsift.doctor.finding import Section

NAMES = ("replay.lock", "compaction.lock")
LONGEST_SECONDS = 660  # a worker ends after ten minutes at the latest


def examine(case: Case) -> Section:
    """Locks are freed by the kernel with their holder: only a holder that hangs is a problem."""
    section = Section("locks")
    table = _table()
    if table is None:
        section.say("held", "not known on this system")
        return section
    for repository in case.repositories():
        for name in NAMES:
            path = case.path("repos", repository, name)
            holder = _holder(path, table)
            if holder:
                _look_at_holder(holder, path, case, section)
    if not section.facts:
        section.say("held", "none")
    return section


def _table() -> dict[tuple[int, int], int] | None:
    """Who holds a lock, by device and inode; from /proc, since trying a lock would disturb whoever wants it."""
    try:
        with open("/proc/locks", encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    found = {}
    for fields in map(str.split, lines):
        if len(fields) >= 6 and "->" not in fields and fields[1] == "FLOCK":
            major, minor, inode = fields[5].split(":")
            found[os.makedev(int(major, 16), int(minor, 16)), int(inode)] = int(fields[4])
    return found


def _holder(path: str, table: dict[tuple[int, int], int]) -> int:
    try:
        found = os.lstat(path)
    except OSError:
        return 0
    return table.get((found.st_dev, found.st_ino), 0)


def _look_at_holder(holder: int, path: str, case: Case, section: Section) -> None:
    age, state = _process(holder, case)
    section.say(os.path.relpath(path, case.root),
                "held by process %d" % holder + (", begun %s" % ago(age) if age is not None else ""))
    if state == "T":
        section.find("Process %d holds %s and is stopped." % (holder, path),
                     "Turns of that repository wait until it goes on or ends.",
                     "`kill -CONT %d` lets it go on; `kill %d` ends it, and nothing is lost." % (holder, holder))
    elif age is not None and age > LONGEST_SECONDS:
        section.find("Process %d has held %s for longer than a worker lives." % (holder, path),
                     "Turns of that repository wait until it ends.",
                     "Look at it (`ps -p %d`) and end it if it hangs: `kill %d`. Nothing is lost." % (holder, holder))


def _process(pid: int, case: Case) -> tuple[float | None, str]:
    """How long a process has run, in seconds, and its state as /proc names it ("T" for stopped)."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open("/proc/uptime", encoding="ascii") as file:
            uptime = float(file.read().split()[0])
        return uptime - int(fields[19]) / os.sysconf("SC_CLK_TCK"), fields[0]
    except (OSError, IndexError, ValueError):
        return None, ""
