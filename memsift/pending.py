"""pending.jsonl: turns that ended and are not sorted yet. A turn is here before anything else happens to it.

Appending and removing both hold the file's own lock. Where that lock or the folder cannot be had, the turn goes to a
file of its own, in the same folder or in the user's private corner of the temporary folder, and is collected later.
"""

from __future__ import annotations

import json
import os
import stat

from memsift import files
from memsift import lock
from memsift import redact
from memsift.home import Home
from memsift.home import digest

WAIT_SECONDS = 0.5
_FIELDS = {"session": str, "turn": str, "host": str, "date": str, "end": str, "answer": str, "transcript": str,
           "prompts": list, "changes": list}
_ALONE_PREFIX, _ALONE_SUFFIX = "pending-", ".jsonl"


def append(home: Home, repository: str, row: dict) -> None:
    """Keep a turn on disk, whole, exactly once per `row["id"]` as far as readers are concerned."""
    line = json.dumps(redact.redact_value(row), ensure_ascii=False) + "\n"
    try:
        _append(home.pending(repository), line)
    except (OSError, lock.Locked):
        _append_alone(home, repository, row["id"], line)


def _append(path: str, line: str) -> None:
    with lock.opened(path, WAIT_SECONDS) as descriptor:
        files.append_line(descriptor, files.encode(line))


def _append_alone(home: Home, repository: str, id: str, line: str) -> None:
    try:
        files.write_text(os.path.join(home.repository(repository), _alone(id)), line)
    except OSError:
        files.write_text(os.path.join(_refuge(repository), _alone(id)), line)


def _alone(id: str) -> str:
    """The name of a file with one turn in it."""
    return _ALONE_PREFIX + digest(id) + _ALONE_SUFFIX


def _refuge_path(repository: str) -> str:
    temporary = os.environ.get("TMPDIR") or "/tmp"
    return os.path.join(temporary, "memsift-%d" % os.getuid(), repository)


def _refuge(repository: str) -> str:
    """A folder for turns while MEMSIFT_HOME cannot be written. Raises OSError where somebody else owns it."""
    path = _refuge_path(repository)
    files.make_folder(path)
    if not _is_ours(os.path.dirname(path)):
        raise files.NotAFile(None, "belongs to somebody else", path)
    return path


def _is_ours(folder: str) -> bool:
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def read(home: Home, repository: str) -> list[dict]:
    """Every turn that waits, oldest first, each id once; a broken line is passed over and stays in the file."""
    return list({row["id"]: row for path in _paths(home, repository) for row in _rows(files.read_text(path))}.values())


def _paths(home: Home, repository: str) -> list[str]:
    folders = [home.repository(repository)]
    if _is_ours(os.path.dirname(_refuge_path(repository))):
        folders.append(_refuge_path(repository))
    alone = [os.path.join(folder, name) for folder in folders for name in files.names(folder)
             if name.startswith(_ALONE_PREFIX) and name.endswith(_ALONE_SUFFIX)]
    return [home.pending(repository)] + alone


def _rows(text: str) -> list[dict]:
    return [row for row in map(_parse, text.split("\n")) if row]


def _parse(line: str) -> dict | None:
    try:
        row = json.loads(line.strip("\0\r\ufeff "))
    except ValueError:
        return None
    return row if isinstance(row, dict) and _is_whole(row) else None


def _is_whole(row: dict) -> bool:
    """Whether a row is as closing.row makes it; one that somebody has edited into another shape stops no other."""
    return isinstance(row.get("id"), str) \
        and all(isinstance(row.get(name, kind()), kind) for name, kind in _FIELDS.items())


def remove(home: Home, repository: str, id: str) -> None:
    """Drop a turn whose outcome is on disk. Raises OSError or lock.Locked; the turn then simply stays."""
    for path in _paths(home, repository)[1:]:
        if os.path.basename(path) == _alone(id):
            files.remove(path)
    path = home.pending(repository)
    if not os.path.exists(path):
        return
    with lock.opened(path, 10 * WAIT_SECONDS):
        lines = files.read_text(path).split("\n")
        files.write_text(path, "\n".join(line for line in lines if (_parse(line) or {}).get("id") != id))
