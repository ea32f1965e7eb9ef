"""The long-term entries on this machine: archive.db, SQLite with full-text search where the interpreter has it.

The text is indexed as terms (memsift/terms.py), so one rule decides what counts as the same word everywhere. The
entries themselves are in a plain table: the index can be rebuilt from it, and without FTS5 it is searched directly.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator

from memsift import files
from memsift.entry import Entry
from memsift.terms import focus
from memsift.terms import terms

WAIT_SECONDS = 1.0
_MOST_QUERY_TERMS = 64
_QUERY_CHARACTERS = 2_000
_MOST_RANKED = 3_000  # occurrences that one search may weigh; it bounds the time, however large the archive is
_COLUMNS = "id, date, text, files, said, turn, mark, replaces"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, date TEXT NOT NULL, text TEXT NOT NULL, files TEXT NOT NULL,
    said TEXT NOT NULL, turn TEXT NOT NULL, mark TEXT NOT NULL, replaces TEXT NOT NULL, terms TEXT NOT NULL)
"""
_REPLACING = "CREATE INDEX IF NOT EXISTS replacing ON entries (replaces) WHERE replaces <> ''"
_IS_MADE = "SELECT 1 FROM entries LIMIT 0"
_INDEXED, _BEHIND = 1, 0  # user_version: whether every entry is in the index
_INDEX = "CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5(terms, content='', columnsize=1, tokenize='ascii')"


class Archive:
    """The archive of one repository. Methods raise sqlite3.Error or OSError."""

    def __init__(self, path: str, wait: float = WAIT_SECONDS) -> None:
        self.path = path
        self.wait = wait

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file as it is: raises FileNotFoundError where there is none."""
        os.close(files.open_plain(self.path, os.O_RDWR))
        connection = sqlite3.connect(self.path, timeout=self.wait, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    @contextlib.contextmanager
    def _prepared(self) -> Iterator[sqlite3.Connection]:
        """A connection to a file that is made, with its tables, where it is missing."""
        os.close(files.open_plain(self.path, os.O_RDWR | os.O_CREAT))  # private from its first moment
        with self._connected() as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_SCHEMA)
            connection.execute(_REPLACING)
            yield connection

    def add(self, entries: list[Entry]) -> None:
        """Put entries in, in one transaction; one that is there already is replaced."""
        with self._prepared() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                indexed = _has_index(connection) or _make_index(connection)
                for entry in entries:
                    _put(connection, entry, indexed)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:  # something failed; a full disk has ended it already
                    connection.execute("ROLLBACK")

    def closest(self, text: str, most: int = 20) -> list[Entry]:
        """The entries whose terms fit best to the end of `text`, best first; none where there is no archive.

        An entry that another one replaces is not among them.
        """
        wanted = _query_terms(text)
        if not wanted or not os.path.exists(self.path):
            return []
        with self._connected() as connection:
            if not _can(connection, _IS_MADE):
                return []  # its writer was killed before there was anything in it
            search = _search_index if _has_index(connection) else _search_plain
            return _without_replaced(connection, search(connection, wanted, most))

    def ids(self) -> set[str]:
        """The ids of everything in the archive."""
        if not os.path.exists(self.path):
            return set()
        with self._connected() as connection:
            return {id for id, in connection.execute("SELECT id FROM entries")} if _can(connection, _IS_MADE) else set()

    def holds(self, id: str) -> bool:
        """Whether an entry is in the archive."""
        if not os.path.exists(self.path):
            return False
        with self._connected() as connection:
            return _can(connection, _IS_MADE) and bool(
                connection.execute("SELECT 1 FROM entries WHERE id = ?", (id,)).fetchone())

    def set_aside(self) -> str:
        """Move a corrupt archive out of the way, and say where it is now."""
        aside = "%s.corrupt-%d" % (self.path, int(time.time()))
        os.replace(self.path, aside)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path + suffix)
        return aside


def _has_index(connection: sqlite3.Connection) -> bool:
    """Whether the index is whole and this interpreter can use it."""
    if connection.execute("PRAGMA user_version").fetchone() != (_INDEXED,):
        return False
    return _can(connection, "SELECT 1 FROM search LIMIT 0")


def _make_index(connection: sqlite3.Connection) -> bool:
    """Fill an index that is missing or behind, since an interpreter without FTS5 may have written here."""
    made = _can(connection, _INDEX) and _can(connection, "SELECT 1 FROM search LIMIT 0")
    if made:
        connection.execute("INSERT INTO search (search) VALUES ('delete-all')")
        connection.execute("INSERT INTO search (rowid, terms) SELECT number, terms FROM entries")
    connection.execute("PRAGMA user_version = %d" % (_INDEXED if made else _BEHIND))
    return made


def _can(connection: sqlite3.Connection, statement: str) -> bool:
    try:
        connection.execute(statement)
    except sqlite3.OperationalError as error:
        if str(error).startswith(("no such module", "no such table")):
            return False
        raise
    return True


def _put(connection: sqlite3.Connection, entry: Entry, indexed: bool) -> None:
    indexed_terms = " ".join(terms(" ".join([entry.text] + entry.files)))
    row = (entry.id, entry.date, entry.text, "\n".join(entry.files), entry.said, entry.turn, entry.mark, entry.replaces)
    row = tuple(value.encode("utf-8", "replace").decode("utf-8") for value in row)  # half an emoji is no text to SQLite
    old = connection.execute("SELECT number, terms FROM entries WHERE id = ?", (entry.id,)).fetchone()
    if old:
        connection.execute("DELETE FROM entries WHERE number = ?", (old[0],))
        if indexed:
            connection.execute("INSERT INTO search (search, rowid, terms) VALUES ('delete', ?, ?)", old)
    cursor = connection.execute(
        "INSERT INTO entries (%s, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" % _COLUMNS, row + (indexed_terms,))
    if indexed:
        connection.execute("INSERT INTO search (rowid, terms) VALUES (?, ?)", (cursor.lastrowid, indexed_terms))


def _query_terms(text: str) -> list[str]:
    """The last distinct terms of the text: the question of a long prompt stands at its end."""
    found = dict.fromkeys(reversed(terms(focus(text, _QUERY_CHARACTERS))))
    return list(found)[:_MOST_QUERY_TERMS]


def _search_index(connection: sqlite3.Connection, wanted: list[str], most: int) -> list[Entry]:
    query = " OR ".join('"%s"' % term for term in _telling(connection, wanted))
    if not query:  # no entry has any of the terms
        return []
    rows = connection.execute(
        "SELECT %s FROM entries JOIN (SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?) found"
        " ON found.rowid = entries.number ORDER BY found.rank" % _COLUMNS, (query, most))
    return [_entry(row) for row in rows]


def _telling(connection: sqlite3.Connection, wanted: list[str]) -> list[str]:
    """The rarest of the wanted terms: one that stands in every entry tells none apart and takes the longest."""
    connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, search, row)")
    found = [(row[0], term) for term in wanted
             for row in connection.execute("SELECT doc FROM temp.vocabulary WHERE term = ?", (term,))]
    room, telling = _MOST_RANKED, []
    for count, term in sorted(found):
        room -= count
        if room >= 0 or not telling:
            telling.append(term)
    return telling


def _search_plain(connection: sqlite3.Connection, wanted: list[str], most: int) -> list[Entry]:
    import math
    asked = set(wanted)
    total = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
    rows = connection.execute("SELECT number, terms FROM entries")  # read one by one: the archive may be large
    shared = [(number, found) for number, found in ((row[0], asked.intersection(row[1].split())) for row in rows) if found]
    counts = {term: sum(term in found for _, found in shared) for term in wanted}
    weight = {term: math.log(1 + total / count) for term, count in counts.items() if count}
    best = sorted((-sum(weight[term] for term in found), number) for number, found in shared)[:most]
    one = "SELECT %s FROM entries WHERE number = ?" % _COLUMNS
    return [_entry(row) for _, number in best for row in connection.execute(one, (number,))]


def _without_replaced(connection: sqlite3.Connection, found: list[Entry]) -> list[Entry]:
    newer = "SELECT 1 FROM entries WHERE replaces = ? AND replaces <> '' AND id <> replaces"
    return [entry for entry in found if not connection.execute(newer, (entry.id,)).fetchone()]


def _entry(row: tuple) -> Entry:
    id, date, text, names, said, turn, mark, replaces = row
    return Entry(id, date, text, names.split("\n") if names else [], said, turn, mark, replaces, place="archive")
