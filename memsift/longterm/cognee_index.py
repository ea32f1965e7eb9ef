"""cognee-index.json: what the long-term store holds, as a repository's worker saw it last. Made again at each session's
start, so that nobody need repair one that is missing or broken.

The datasets stand on the first line and their documents on the others: a prompt reads the first line only.
"""

from __future__ import annotations

import json
import os

from memsift import files
from memsift.home import Home

VERSION = 1
MOST_DOCUMENTS = 50_000  # of one dataset; the rest is only counted
_LONGEST_LINE = 4_000_000
_PIECE = 65_536


class Index:
    """`server`: its address, "" where there is no index. `refreshed`: seconds since 1970. `datasets`: id by name."""

    __slots__ = ("server", "refreshed", "datasets")

    def __init__(self, server: str = "", refreshed: float = 0.0, datasets: dict[str, str] | None = None) -> None:
        self.server = server
        self.refreshed = refreshed
        self.datasets = datasets or {}


class Listed:
    """A document of the store: `size` in bytes or None, `updated` as the server writes it."""

    __slots__ = ("id", "name", "size", "updated")

    def __init__(self, id: str, name: str, size: int | None, updated: str) -> None:
        self.id = id
        self.name = name
        self.size = size
        self.updated = updated


def load(home: Home, repository: str) -> Index:
    """The datasets, none where the index is missing or broken. Raises OSError for a file that cannot be read."""
    facts = _parse(_first_line(home.cognee_index(repository)).rstrip(b", \r\n") + b"}")
    rows = [row for row in _list(facts.get("datasets")) if isinstance(row, dict)]
    server, refreshed = facts.get("server"), facts.get("refreshed")
    if not isinstance(server, str) or not isinstance(refreshed, (int, float)):
        return Index()
    return Index(server, float(refreshed), {row["name"]: row["id"] for row in rows
                                            if isinstance(row.get("name"), str) and isinstance(row.get("id"), str)})


def documents(home: Home, repository: str, dataset: str) -> list[Listed]:
    """The documents of a dataset, by its name, from the whole file. Raises OSError."""
    return [Listed(*row) for row in _rows(home, repository, [dataset])]


def document_ids(home: Home, repository: str, names: list[str]) -> set[str]:
    """The ids of all documents of these datasets. Raises OSError."""
    return {row[0] for row in _rows(home, repository, names) if isinstance(row[0], str)}


def _rows(home: Home, repository: str, names: list[str]) -> list[list]:
    facts = _parse(files.encode(files.read_text(home.cognee_index(repository))))
    held = facts.get("documents")
    ids = [each.get("id") for each in _list(facts.get("datasets")) if isinstance(each, dict) and each.get("name") in names]
    groups = [_list(held.get(id)) for id in ids if isinstance(id, str)] if isinstance(held, dict) else []
    return [row for group in groups for row in group if isinstance(row, list) and len(row) == 4]


def write(home: Home, repository: str, server: str, now: float, datasets: list, held: dict[str, list]) -> None:
    """Replace the index. `datasets`: with id, name and updated. `held`: the documents (id, name, size, updated) of those
    that were looked into, by the dataset's id."""
    head = {"version": VERSION, "server": server, "refreshed": int(now), "datasets": [
        {"id": each.id, "name": each.name, "updated": each.updated,
         "documents": len(held[each.id]) if each.id in held else None} for each in datasets]}
    lines = [_dump(head)[:-1] + ",", '"documents": {']
    lines += ",\n".join("%s: [%s]" % (_dump(id), ",\n".join(map(_row, rows[:MOST_DOCUMENTS]))) for id, rows in held.items()),
    files.write_text(home.cognee_index(repository), "\n".join(lines) + "\n}}\n")


def _row(document: object) -> str:
    return _dump([document.id, document.name, document.size, document.updated])


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)  # on one line whatever the names hold


def _first_line(path: str) -> bytes:
    try:
        descriptor = files.open_plain(path)
    except FileNotFoundError:
        return b""
    try:
        pieces, size = [], 0
        while size < _LONGEST_LINE:
            piece = os.read(descriptor, _PIECE)
            before, newline, _ = piece.partition(b"\n")
            pieces.append(before)
            size += len(before)
            if newline or not piece:
                break
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _parse(raw: bytes) -> dict:
    try:
        facts = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _list(value: object) -> list:
    return value if isinstance(value, list) else []
