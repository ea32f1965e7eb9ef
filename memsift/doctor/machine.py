"""The machine: its Python, its clock, the disk, who may read the files, and what the log says."""

from __future__ import annotations

import calendar
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from shlex import quote

import memsift
from memsift import files
from memsift import log
from memsift import tail
from memsift.doctor.case import Case
from memsift.doctor.case import ago
from memsift.doctor.case import counted
from memsift.doctor.case import number
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section

LEAST_FREE = 200_000_000  # bytes: the archive, the log and a copy of what is replaced
_OLDEST_TIME = 1_790_000_000  # autumn 2026: no clock that is right shows less
_SLACK_SECONDS = 300
_PYTHON_SECONDS = 3.0
_DAY = 86400
_ASK_PYTHON = ("import sys; print('%d.%d.%d' % sys.version_info[:3]); import sqlite3, ssl, fcntl")
_ERROR = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z ERROR (.*)")
_MANY_ERRORS = 3


def examine(case: Case) -> Section:
    """What memsift stands on."""
    section = Section("machine")
    section.say("memsift", memsift.__version__)
    _look_at_python(case, section)
    _look_at_clock(case, section)
    _look_at_disk(case, section)
    _look_at_permissions(case, section)
    _look_at_log(case, section)
    return section


def _look_at_python(case: Case, section: Section) -> None:
    """The python3 that hooks find on the PATH, which may be another one than this."""
    own = "%d.%d.%d" % sys.version_info[:3]
    path = shutil.which("python3", path=case.environment.get("PATH"))
    if not path:
        section.find("There is no python3 on the PATH.",
                     "The hosts start every hook with it; without it they do nothing.",
                     "Install Python 3.9 or later as python3.")
    elif os.path.realpath(path) == os.path.realpath(sys.executable):
        section.say("python3", "%s, %s" % (own, path))
    else:
        _ask_python(path, case, section)
    if not _has_full_text_search():
        section.find("SQLite of this Python (%s) has no full-text search." % own,
                     "The archive is searched more slowly.", "Any newer Python has it.", ADVICE)


def _ask_python(path: str, case: Case, section: Section) -> None:
    try:
        done = subprocess.run([path, "-I", "-S", "-c", _ASK_PYTHON], env={"PATH": os.defpath}, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=min(_PYTHON_SECONDS, case.deadline.remaining() or 0.1), encoding="utf-8")
        said, code = done.stdout.strip(), done.returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        said, code = "", getattr(error, "strerror", None) or "it does not answer"
    version = re.match(r"(\d+)\.(\d+)", said)
    if not version:
        section.find("%s does not work (%s)." % (path, code), "The hosts start every hook with it.",
                     "Put a working Python 3.9 or later first on the PATH.")
    elif (int(version.group(1)), int(version.group(2))) < (3, 9):
        section.find("%s is Python %s." % (path, said),
                     "memsift needs 3.9 or later; with this one its hooks end at once.",
                     "Put a newer python3 first on the PATH.")
    elif code:
        section.find("%s lacks a part of the standard library (sqlite3, ssl or fcntl)." % path,
                     "Parts of memsift fail there.", "Install the complete Python, or put another first on the PATH.")
    else:
        section.say("python3", "%s, %s" % (said, path))


def _has_full_text_search() -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE found USING fts5(terms)")
        return True
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()


def _look_at_clock(case: Case, section: Section) -> None:
    section.say("clock", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(case.now)))
    if case.now < _OLDEST_TIME:
        section.find("The clock shows %s." % time.strftime("%Y-%m-%d", time.gmtime(case.now)),
                     "Notes get that date, and https refuses certificates.", "Set the clock.")
    latest = max((number(facts.get("seen")) for facts in case.sessions), default=0.0)
    for name in ("state.json", "debug.log"):
        latest = max(latest, files.written(case.path(name)) or 0.0)
    if latest > case.now + _SLACK_SECONDS:
        ahead = ago(latest - case.now).replace(" ago", "")
        section.find("The clock was set back: files of memsift's come from %s later." % ahead,
                     "Ages are wrong until the clock has caught up.",
                     "Set the clock, or ignore this if it was wrong before.")


def _look_at_disk(case: Case, section: Section) -> None:
    folder = case.root
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    section.say("disk", "%.1f GB free, memsift takes %.1f MB" % (free / 1e9, _size(case.root) / 1e6))
    files_left = os.statvfs(folder).f_favail
    if free < LEAST_FREE:
        section.find("Only %.0f MB are free for %s." % (free / 1e6, case.root),
                     "On a full disk turns wait in the temporary folder, and notes cannot be written.",
                     "Free some space on that disk.")
    elif files_left == 0 and os.statvfs(folder).f_files:
        section.find("The disk of %s has no room for another file (no inodes are left)." % case.root,
                     "Turns and notes cannot be written.", "Delete some files on that disk.")


def _size(root: str) -> int:
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total


def _look_at_permissions(case: Case, section: Section) -> None:
    if not os.path.isdir(case.root):
        if os.path.lexists(case.root):
            section.find("%s is no folder." % case.root, "Nothing can be remembered.",
                         "Move it away, or set MEMSIFT_HOME.")
        elif not case.in_sandbox and not os.access(os.path.dirname(case.root), os.W_OK):
            section.find("%s cannot be made: its parent folder is not writable." % case.root,
                         "Nothing can be remembered.",
                         "Make the parent writable, or set MEMSIFT_HOME to an absolute path that is.")
        return
    mode = os.stat(case.root)
    if mode.st_uid != os.getuid():
        section.find("%s belongs to somebody else." % case.root, "Its owner can read and change what is remembered.",
                     "`sudo chown -R %d %s`" % (os.getuid(), quote(case.root)))
    elif mode.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        section.find("Others on this machine can look into %s." % case.root, "It holds what you and the agent wrote.",
                     "`chmod -R go= %s`" % quote(case.root))
    if not case.in_sandbox:
        for path in [case.root] + [case.path("repos", name) for name in case.repositories()]:
            if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                section.find("%s cannot be written." % path,
                             "Turns wait in the temporary folder, and nothing new is remembered.",
                             "`chmod u+rwx %s` (if the disk is read-only, set MEMSIFT_HOME to another)." % quote(path))


def _look_at_log(case: Case, section: Section) -> None:
    path = case.path("debug.log")
    if not os.path.exists(path):
        section.say("log", "no error yet")
        return
    errors = _errors(path, case.now - _DAY)
    section.say("log",
                "%s, %.1f MB, %s in the last day" % (path, files.size(path) / 1e6, counted(len(errors), "error")))
    hangs = [text for text in errors if "DeadlinePassed" in text]
    if files.size(path) > log.ROTATE_BYTES * 1.1:
        section.find("%s is larger than it should grow." % path, "It cannot be rotated, and may fill the disk.",
                     "Make %s writable, or delete the file." % case.root)
    if hangs:
        section.find("%s ran out of time in the last day; the last: %s" % (counted(len(hangs), "hook"), hangs[0]),
                     "The prompt went on without memory.",
                     "If it goes on: a slow disk or a slow service; debug.log tells which.", ADVICE)
    elif len(errors) >= _MANY_ERRORS:
        section.find("%s in the last day; the last: %s" % (counted(len(errors), "error"), errors[0]),
                     "Each is something that memsift could not do.",
                     "Look into %s; each error has a line there." % path, ADVICE)


def _errors(path: str, since: float) -> list[str]:
    """The errors since then, the newest first, but for failures of services, which are told elsewhere."""
    found = []
    try:
        for line in tail.lines_backwards(path, 2_000_000):
            match = _ERROR.match(line)
            if not match:
                continue
            if calendar.timegm(time.strptime(match.group(1).decode("ascii"), "%Y-%m-%dT%H:%M:%S")) < since:
                break
            if b" status=" not in match.group(2) and b"turns wait" not in match.group(2):
                found.append(match.group(2).decode("utf-8", "replace")[:200])
    except (OSError, ValueError):
        return found
    return found
