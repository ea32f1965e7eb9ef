"""A corrupt archive: it is set aside, read back row by row, and completed by what is known elsewhere.

Whoever is killed on the way leaves a file that is set aside but not read back yet; the next call goes on with it. The
name of one that was read back tells how many entries were found in it: archive.db.corrupt-<time>.read-<entries>.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator

from memsift import files
from memsift import lock
from memsift.archive import archive_file
from memsift.archive import archive_index
from memsift.archive.archive import COLUMNS
from memsift.archive.archive import Archive
from memsift.archive.archive import entry_of
from memsift.entry import Entry

READ = ".read-"
_SECONDS = 30.0
_BATCH = 500
_SMALLEST_ROW = 100  # bytes: how many rows a file may have whose last one cannot be asked for


def is_corrupt(error: Exception) -> bool:
    """Whether an error of SQLite's means that the file is damaged, and not busy, full or read-only."""
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.IntegrityError))


def rebuild(archive: Archive, known: Callable[[], Iterable[Entry]]) -> str:
    """Make an archive usable in which an error was met, and say in a sentence what was done.

    `known` gives the entries that belong into it, as far as other files hold them. Raises sqlite3.Error, OSError, and
    lock.Locked where another process is at it for long.
    """
    with lock.held(archive.path + ".lock", _SECONDS):
        fault = ""
        if os.path.exists(archive.path):
            fault = _fault(archive) or _index_fault(archive)
            if not fault:
                return "archive: its index was made again"
            archive.set_aside()
        return _read_back(archive, known, fault)


def go_on(archive: Archive, known: Callable[[], Iterable[Entry]]) -> str:
    """Finish what a killed process began; "" where there is nothing to finish."""
    if not unread(archive):
        return ""
    with lock.held(archive.path + ".lock", _SECONDS):
        return _read_back(archive, known, "") if unread(archive) else ""


def unread(archive: Archive) -> list[str]:
    """The files that were set aside and not read back yet."""
    return [path for path in archive.set_aside_files() if READ not in os.path.basename(path)]


def _read_back(archive: Archive, known: Callable[[], Iterable[Entry]], fault: str) -> str:
    sentences = []
    archive.add_missing([])  # the file is there from now on, whatever could be read
    for path in unread(archive):
        found = 0
        for entries in _batches(readable(path)):
            archive.add_missing(entries)
            found += len(entries)
        sentences.append("archive is corrupt, set aside as %s; entries read back from it: %d"
                         % (_mark_read(path, found), found))
    archive.add_missing(known())
    return "; ".join(sentences + [fault] if fault else sentences) or "archive: rebuilt by another process"


def _mark_read(path: str, found: int) -> str:
    marked = "%s%s%d" % (path, READ, found)
    os.rename(path, marked)
    for suffix in ("-wal", "-shm"):
        files.move(path + suffix, marked + suffix)
    return marked


def forget_read(archive: Archive) -> None:
    """Delete what was set aside and read back already: somebody wants an entry to be gone."""
    for path in archive.set_aside_files() if os.path.exists(os.path.dirname(archive.path)) else ():
        if READ in os.path.basename(path):
            for suffix in ("", "-wal", "-shm"):
                files.remove(path + suffix)


def _fault(archive: Archive) -> str:
    """What is wrong with the table of entries; "" where it is sound."""
    try:
        with archive._connected() as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            return "" if found == "ok" else found
    except sqlite3.DatabaseError as error:
        if not is_corrupt(error):
            raise
        return str(error)


def _index_fault(archive: Archive) -> str:
    """Make the index again, or say why that is not possible in this file."""
    try:
        archive.remake_index()
    except sqlite3.DatabaseError as error:
        if not is_corrupt(error):
            raise
        return str(error)
    return ""


def _batches(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def readable(path: str) -> Iterator[Entry]:
    """The entries of a damaged file that can still be read, row by row around the damage."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        if not _is_made(connection):
            return
        last = _last_number(connection, path)
        ranges = [(low, low + _BATCH - 1) for low in range(0, last + 1, _BATCH)][::-1]
        while ranges:
            low, high = ranges.pop()
            rows = _rows(connection, low, high)
            if rows is not None:
                yield from (entry_of(row) for row in rows if all(isinstance(value, str) for value in row) and row[0])
            elif low < high:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)]
    finally:
        connection.close()


def _is_made(connection: sqlite3.Connection) -> bool:
    """Whether there are tables; there are none that can be found where the first page is gone."""
    try:
        return archive_index.can(connection, archive_file.IS_MADE)
    except sqlite3.DatabaseError:
        return False


def _rows(connection: sqlite3.Connection, low: int, high: int) -> list[tuple] | None:
    """The rows with these numbers, or None where one of them, or the way to it, cannot be read."""
    some = "SELECT %s FROM entries WHERE number BETWEEN ? AND ?" % COLUMNS
    try:
        return connection.execute(some, (low, high)).fetchall()
    except sqlite3.DatabaseError:
        return None


def _last_number(connection: sqlite3.Connection, path: str) -> int:
    """The highest number that an entry of the file can have."""
    try:
        return archive_index.size(connection)
    except sqlite3.DatabaseError:
        return files.size(path) // _SMALLEST_ROW
