"""The archive as background work uses it: a corrupt one is rebuilt on the spot and never stops the work."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from collections.abc import Iterable

from memsift import files
from memsift import lock
from memsift import notes
from memsift.archive import rebuild
from memsift.archive.archive import Archive
from memsift.entry import Entry
from memsift.home import Home
from memsift.log import Log
from memsift.longterm import outbox

_WAIT_SECONDS = 30.0


class ArchiveKeeper:
    """The archive of one repository, for the worker and for commands. What cannot be read is logged and is nothing."""

    def __init__(self, home: Home, repository: str, log: Log) -> None:
        self._archive = Archive(home.archive(repository), wait=_WAIT_SECONDS)
        self._home = home
        self._repository = repository
        self._log = log
        self._is_finished = False

    def add(self, entries: Iterable[Entry]) -> None:
        """As Archive.add. Raises sqlite3.Error or OSError where they cannot be stored, in a new archive either."""
        entries = list(entries)
        self._sound(lambda: self._archive.add(entries))

    def alike(self, text: str) -> list[Entry]:
        """The entries closest to a text."""
        return self._or(lambda: self._archive.closest(text), [])

    def holds(self, id: str) -> bool:
        """Whether an entry is in the archive."""
        return self._or(lambda: self._archive.holds(id), False)

    def _or(self, act: Callable[[], object], nothing: object) -> object:
        try:
            return self._sound(act)
        except (sqlite3.Error, lock.Locked) as error:  # busy, full, read-only, or corrupt and not to be rebuilt
            self._log.error("core-turn", "archive: %s" % error, error)
            return nothing

    def _sound(self, act: Callable[[], object]) -> object:
        """Do something with the archive; where it turns out to be corrupt, rebuild it and do it again."""
        self._finish()
        try:
            return act()
        except sqlite3.DatabaseError as error:
            if not rebuild.is_corrupt(error):
                raise
            self._log.error("core-turn", rebuild.rebuild(self._archive, self._known), error)
        return act()

    def _finish(self) -> None:
        """Read back what an earlier process set aside and did not come to read."""
        if not self._is_finished:
            self._is_finished = True
            done = rebuild.go_on(self._archive, self._known)
            if done:
                self._log.error("core-turn", done)

    def _known(self) -> list[Entry]:
        """What belongs into the archive and stands in other files as well.

        The draft is not among it: its notes come to the archive when they leave it, if the user has not deleted them.
        """
        known = {entry.id: entry for packet in outbox.waiting(self._home, self._repository) for entry in packet.entries}
        known.update((note.id, note) for note in notes.parse(files.read_text(self._home.digest(self._repository))))
        return list(known.values())
