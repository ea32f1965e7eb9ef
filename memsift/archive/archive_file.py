"""The file of an archive: opened as it is, made where it is missing, and written to by one process at a time."""

from __future__ import annotations

import errno
import os
import sqlite3
import time

from memsift import files

IS_MADE = "SELECT 1 FROM entries LIMIT 0"
_POLL_SECONDS = 0.001
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, date TEXT NOT NULL, text TEXT NOT NULL, files TEXT NOT NULL,
    said TEXT NOT NULL, turn TEXT NOT NULL, mark TEXT NOT NULL, replaces TEXT NOT NULL, terms TEXT NOT NULL)
"""
_REPLACING = "CREATE INDEX IF NOT EXISTS replacing ON entries (replaces) WHERE replaces <> ''"


class connected:
    """A connection to the file as it is, for a block. Raises FileNotFoundError where there is none."""

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait

    def __enter__(self) -> sqlite3.Connection:
        try:
            os.close(files.open_plain(self._path, os.O_RDWR))
            address = self._path
        except PermissionError:
            address = _read_only(self._path)
        except OSError as error:
            if error.errno != errno.EROFS:
                raise
            address = _read_only(self._path)
        self._connection = sqlite3.connect(address, timeout=self._wait, isolation_level=None,
                                           uri=address is not self._path)
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _read_only(path: str) -> str:
    """The address of a file that may only be read; without a write-ahead log beside it, SQLite need not write."""
    from urllib.parse import quote
    os.close(files.open_plain(path))
    return "file:%s?%s" % (quote(path), "mode=ro" if files.size(path + "-wal") else "immutable=1")


def inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def prepare(connection: sqlite3.Connection, wait: float) -> None:
    """Make what is missing of the tables."""
    # For a new file that two processes make at once, SQLite's own waiting does not count.
    _until_free(connection, "PRAGMA journal_mode=WAL", wait)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(_SCHEMA)
    connection.execute(_REPLACING)


def begin(connection: sqlite3.Connection, wait: float) -> None:
    """Begin to write. SQLite's own waiting grows to 100 ms at a time, and hands the turn to whoever came last."""
    connection.execute("PRAGMA busy_timeout = 0")
    _until_free(connection, "BEGIN IMMEDIATE", wait)
    connection.execute("PRAGMA busy_timeout = %d" % (wait * 1000))


def _until_free(connection: sqlite3.Connection, statement: str, wait: float) -> None:
    give_up = time.monotonic() + wait
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
        time.sleep(_POLL_SECONDS)
