"""Recall on every prompt, to compare with: what most memory plugins do."""

from __future__ import annotations

from memsift.archive.archive import Archive
from memsift.entry import Entry

MOST = 5


class Recall:
    """The closest entries to each prompt, whatever the prompt is; the ranking is the archive's own."""

    def __init__(self, path: str) -> None:
        self._archive = Archive(path)

    def add(self, entries: list[Entry]) -> None:
        """Remember entries; one that is there already is replaced."""
        if entries:
            self._archive.add(entries)

    def closest(self, prompt: str) -> list[Entry]:
        """At most MOST entries, best first."""
        return self._archive.closest(prompt, MOST)
