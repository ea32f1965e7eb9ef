"""The long-term entries on this machine: archive.db, SQLite with full-text search where the interpreter has it.

Any number of processes may read and write at once. The entries themselves are in a plain table; what makes them quick
to find (memsift/archive/archive_index.py) is made from it and can be made again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator

from memsift import files
from memsift.archive import archive_file
from memsift.archive import archive_index
from memsift.archive import archive_search
from memsift.entry import REFUSED
from memsift.entry import WITHDRAWN
from memsift.entry import Entry

WAIT_SECONDS = 1.0
ASIDE = ".corrupt-"  # between the archive's name and the time, in the name of one that was set aside
_BATCH = 500
COLUMNS = "id, date, text, files, said, turn, mark, replaces"
_NOT_SHOWN = (REFUSED, WITHDRAWN)


class Archive:
    """The archive of one repository. Methods raise sqlite3.Error or OSError; where there is no file, there is nothing
    in it, and the first entry makes it."""

    def __init__(self, path: str, wait: float = WAIT_SECONDS) -> None:
        self.path = path
        self.wait = wait

    def _connected(self) -> archive_file.connected:
        return archive_file.connected(self.path, self.wait)

    def add(self, entries: Iterable[Entry]) -> None:
        """Put entries in, in one transaction; one that is there already is replaced."""
        rows = [_row(entry) for entry in entries]  # before anybody has to wait for us
        self._write(lambda connection, indexed: _put(connection, rows, indexed))

    def add_missing(self, entries: Iterable[Entry]) -> None:
        """Put in those entries of which there is none with their id."""
        rows = [_row(entry) for entry in entries]
        self._write(lambda connection, indexed: _put(
            connection, [row for row in rows if not _find(connection, row[0])], indexed))

    def remove(self, ids: Iterable[str]) -> None:
        """Take entries out, so that nothing of their text is left on the disk, in what was set aside earlier either."""
        from memsift.archive import rebuild  # rare
        wanted = list(ids)
        rebuild.forget_read(self)
        if os.path.exists(self.path):
            self._write(lambda connection, indexed: _take_out(connection, wanted, indexed))
            with self._connected() as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def closest(self, text: str, most: int = 20, before: str = "", without: Iterable[str] = ()) -> list[Entry]:
        """The entries that fit best to `text`, best first.

        `before`: what was said earlier, which counts less. An entry that another one replaces is not among them, nor
        one of the ids `without`.
        """
        if not os.path.exists(self.path):
            return []
        with self._connected() as connection:
            connection.execute("BEGIN")  # what others write meanwhile is not seen
            if not archive_index.can(connection, archive_file.IS_MADE):
                return []  # its writer was killed before there was anything in it
            left_out = _numbers(connection, list(without))
            found = archive_search.ranked(connection, text, before, left_out, COLUMNS, 2 * most)
            return _standing(connection, [entry_of(row) for row in found])[:most]

    def ids(self) -> set[str]:
        """The ids of everything in the archive."""
        return {id for id, in self._rows("SELECT id FROM entries", ())}

    def count(self) -> int:
        """How many entries there are."""
        return sum(number for number, in self._rows("SELECT count(*) FROM entries", ()))

    def holds(self, id: str) -> bool:
        """Whether an entry is in the archive."""
        return bool(self._rows("SELECT 1 FROM entries WHERE id = ?", (id,)))

    def get(self, ids: Iterable[str]) -> list[Entry]:
        """The entries with these ids, in their order, without those that are not there."""
        one = "SELECT %s FROM entries WHERE id = ?" % COLUMNS
        return [entry_of(row) for row in self._rows(one, *((id,) for id in ids))]

    def every(self) -> Iterator[Entry]:
        """Every entry, in the order in which they came; the archive may be written meanwhile."""
        last = -1
        while True:
            rows = self._rows("SELECT number, %s FROM entries WHERE number > ? ORDER BY number LIMIT %d"
                              % (COLUMNS, _BATCH), (last,))
            for row in rows:
                yield entry_of(row[1:])
            if not rows:
                return
            last = rows[-1][0]

    def set_aside(self) -> str:
        """Move a corrupt archive out of the way, and say where it is now; memsift/archive/rebuild.py reads it back."""
        aside = "%s%s%d" % (self.path, ASIDE, time.time_ns() // 1_000_000)
        os.replace(self.path, aside)
        for suffix in ("-wal", "-shm"):  # entries may be in the first; both belong to the file
            files.move(self.path + suffix, aside + suffix)
        return aside

    def set_aside_files(self) -> list[str]:
        """The corrupt archives that were set aside, oldest first."""
        folder, name = os.path.split(self.path)
        found = [found for found in os.listdir(folder) if found.startswith(name + ASIDE)]
        return [os.path.join(folder, found) for found in sorted(found) if not found.endswith(("-wal", "-shm"))]

    def remake_index(self) -> None:
        """Make the index anew from the table."""
        self._write(lambda connection, _: archive_index.make(connection), prepare=lambda _: True)

    def _rows(self, statement: str, *values: tuple) -> list[tuple]:
        """What a statement gives for each of these values, one after the other."""
        if not os.path.exists(self.path):
            return []
        with self._connected() as connection:
            if not archive_index.can(connection, archive_file.IS_MADE):
                return []
            return [row for each in values for row in connection.execute(statement, each)]

    def _write(self, change: Callable[[sqlite3.Connection, bool], object],
               prepare: Callable[[sqlite3.Connection], bool] = archive_index.bring_up_to_date) -> None:
        """Make a change in one transaction, and again where the file was set aside in the middle of it."""
        while True:
            os.close(files.open_plain(self.path, os.O_RDWR | os.O_CREAT))  # private from its first moment
            with self._connected() as connection:
                there = os.stat(self.path).st_ino
                archive_file.prepare(connection, self.wait)
                archive_file.begin(connection, self.wait)
                try:
                    change(connection, prepare(connection))
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:  # something failed; a full disk has ended it already
                        connection.execute("ROLLBACK")
            if archive_file.inode(self.path) == there:
                return


def _find(connection: sqlite3.Connection, id: str) -> tuple | None:
    return connection.execute("SELECT number, terms FROM entries WHERE id = ?", (id,)).fetchone()


def _put(connection: sqlite3.Connection, rows: list[tuple[str, ...]], indexed: bool) -> None:
    for row in rows:
        _delete(connection, row[0], indexed)
        cursor = connection.execute(
            "INSERT INTO entries (%s, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" % COLUMNS, row)
        if indexed:
            archive_index.put(connection, cursor.lastrowid, row[-1])
    if indexed:
        archive_index.count_frequent(connection)


def _delete(connection: sqlite3.Connection, id: str, indexed: bool) -> bool:
    old = _find(connection, id)
    if old:
        connection.execute("DELETE FROM entries WHERE number = ?", (old[0],))
        if indexed:
            archive_index.take_out(connection, *old)
    return bool(old)


def _take_out(connection: sqlite3.Connection, ids: list[str], indexed: bool) -> None:
    connection.execute("PRAGMA secure_delete = ON")
    if [id for id in ids if _delete(connection, id, indexed)] and indexed:
        archive_index.drop_deleted(connection)


def _row(entry: Entry) -> tuple[str, ...]:
    row = (entry.id, entry.date, entry.text, "\n".join(entry.files), entry.said, entry.turn, entry.mark, entry.replaces)
    row = tuple(value.encode("utf-8", "replace").decode("utf-8") for value in row)  # half an emoji is no text to SQLite
    return row + (archive_index.terms_of(row[2], row[3]),)


def entry_of(row: tuple) -> Entry:
    id, date, text, names, said, turn, mark, replaces = row
    return Entry(id, date, text, names.split("\n") if names else [], said, turn, mark, replaces, place="archive")


def _numbers(connection: sqlite3.Connection, ids: list[str]) -> set[int]:
    numbers: set[int] = set()
    for start in range(0, len(ids), _BATCH):
        part = ids[start:start + _BATCH]
        some = "SELECT number FROM entries WHERE id IN (%s)" % ", ".join("?" * len(part))
        numbers.update(number for number, in connection.execute(some, part))
    return numbers


def _standing(connection: sqlite3.Connection, found: list[Entry]) -> list[Entry]:
    """Those of the entries that are still true."""
    newer = connection.execute(
        "SELECT replaces, mark FROM entries WHERE replaces IN (%s) AND replaces <> '' AND id <> replaces"
        % ", ".join("?" * len(found)), [entry.id for entry in found])
    replaced = {id for id, mark in newer if mark not in _NOT_SHOWN}
    return [entry for entry in found if entry.id not in replaced and entry.mark not in _NOT_SHOWN]
