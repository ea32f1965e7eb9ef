"""The index of an archive file: which entries hold a term, in SQLite's full-text index where it is there.

Each row of `entries` keeps its own terms, so the index can be made again from the table, and the table be searched
without it. `frequent` tells how many entries hold a common term; a search must know that without counting them.

user_version says how far a file is: 0 and 1 have the terms of memsift/terms.py, 2 and 3 those of
memsift/archive/index_terms.py; 1 and 3 have every entry in the index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from memsift.archive.index_terms import index_terms
from memsift.terms import terms

_OLD, _BEHIND, _WHOLE = 1, 2, 3
_INDEX = "CREATE VIRTUAL TABLE search USING fts5(terms, content='', columnsize=0, detail=none, tokenize='ascii')"
_IS_THERE = "SELECT 1 FROM search LIMIT 0"
_FREQUENT = "CREATE TABLE IF NOT EXISTS frequent (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID"
_ALL = ""  # the term under which `frequent` keeps how many entries there were
FREQUENT_FROM = 16
COUNTED_FROM = 256
_MOST_VARIABLES = 500  # in one statement; SQLite allowed 999 for many years


def is_usable(connection: sqlite3.Connection) -> bool:
    """Whether every entry is in the index and this interpreter can read it."""
    return _version(connection) in (_OLD, _WHOLE) and can(connection, _IS_THERE)


def term_maker(connection: sqlite3.Connection) -> Callable[[str], list[str]]:
    """What the terms of this file were made with."""
    return index_terms if _version(connection) in (_BEHIND, _WHOLE) else terms


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def can(connection: sqlite3.Connection, statement: str) -> bool:
    """Whether a statement runs, as far as the tables and modules that it names go."""
    try:
        connection.execute(statement)
    except sqlite3.OperationalError as error:
        if str(error).startswith(("no such module", "no such table")):
            return False
        raise
    return True


def bring_up_to_date(connection: sqlite3.Connection) -> bool:
    """In a writer's transaction: whether entries can be put into the index, which is made or made anew where needed."""
    if _version(connection) == _WHOLE and can(connection, _IS_THERE):
        return True
    if _version(connection) not in (_BEHIND, _WHOLE):
        _make_terms(connection)
    return make(connection)


def make(connection: sqlite3.Connection) -> bool:
    """Fill an index that is missing, behind or broken; False where this interpreter has no FTS5."""
    can(connection, "DROP TABLE IF EXISTS search")
    made = can(connection, _INDEX)
    if made:
        connection.execute("INSERT INTO search (rowid, terms) SELECT number, terms FROM entries")
        connection.execute("DROP TABLE IF EXISTS frequent")
        count_frequent(connection)
    connection.execute("PRAGMA user_version = %d" % (_WHOLE if made else _BEHIND))
    return made


def _make_terms(connection: sqlite3.Connection) -> None:
    """Give every entry the terms of today; the texts are read in parts, however many there are."""
    last, rows = -1, [()]
    while rows:
        rows = connection.execute(
            "SELECT number, text, files FROM entries WHERE number > ? ORDER BY number LIMIT 500", (last,)).fetchall()
        last = rows[-1][0] if rows else last
        connection.executemany("UPDATE entries SET terms = ? WHERE number = ?",
                               [(terms_of(text, names), number) for number, text, names in rows])


def terms_of(text: str, names: str) -> str:
    """The terms of an entry as its row keeps them."""
    return " ".join(index_terms("%s\n%s" % (text, names)))


def put(connection: sqlite3.Connection, number: int, its_terms: str) -> None:
    """Add an entry to the index."""
    connection.execute("INSERT INTO search (rowid, terms) VALUES (?, ?)", (number, its_terms))


def take_out(connection: sqlite3.Connection, number: int, its_terms: str) -> None:
    """Remove an entry from the index; `its_terms` are exactly those that it was put in with."""
    connection.execute("INSERT INTO search (search, rowid, terms) VALUES ('delete', ?, ?)", (number, its_terms))


def count_frequent(connection: sqlite3.Connection) -> None:
    """Count the common terms again when the archive has doubled since; it takes a second for 100,000 entries."""
    connection.execute(_FREQUENT)
    total = size(connection)
    counted = connection.execute("SELECT entries FROM frequent WHERE term = ?", (_ALL,)).fetchone()
    if total < COUNTED_FROM or counted and total < 2 * counted[0]:
        return
    connection.execute("CREATE VIRTUAL TABLE temp.counts USING fts5vocab(main, search, row)")
    connection.execute("DELETE FROM frequent")
    connection.execute("INSERT INTO frequent SELECT term, doc FROM temp.counts WHERE doc >= ?", (FREQUENT_FROM,))
    connection.execute("INSERT INTO frequent VALUES (?, ?)", (_ALL, total))
    connection.execute("DROP TABLE temp.counts")


def size(connection: sqlite3.Connection) -> int:
    """About how many entries there are, at once: those that were replaced or removed are counted as well."""
    return connection.execute("SELECT max(number) FROM entries").fetchone()[0] or 0


def frequencies(connection: sqlite3.Connection, wanted: list[str]) -> dict[str, int]:
    """How many entries hold each of the wanted terms that are common; all others are rare."""
    if can(connection, "SELECT 1 FROM frequent LIMIT 0"):
        found: dict[str, int] = {}
        for start in range(0, len(wanted), _MOST_VARIABLES):
            part = wanted[start:start + _MOST_VARIABLES]
            marks = ", ".join("?" * len(part))
            found.update(connection.execute("SELECT term, entries FROM frequent WHERE term IN (%s)" % marks, part))
        return found
    if size(connection) < COUNTED_FROM:
        return {}
    connection.execute("CREATE VIRTUAL TABLE temp.counts USING fts5vocab(main, search, row)")  # an old file: count now
    return {term: row[0] for term in wanted
            for row in connection.execute("SELECT doc FROM temp.counts WHERE term = ?", (term,))}


def holders(connection: sqlite3.Connection, term: str, most: int) -> list[int]:
    """The numbers of the entries that hold a term, the newest ones if there are more than `most`."""
    found = connection.execute(
        "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?", ('"%s"' % term, most))
    return [number for number, in found]


def drop_deleted(connection: sqlite3.Connection) -> None:
    """Leave no term in the index of an entry that was taken out."""
    connection.execute("INSERT INTO search (search) VALUES ('optimize')")
