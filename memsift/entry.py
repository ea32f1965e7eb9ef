"""One remembered item, wherever it is kept: a working note, an archived one, or a passage of the long-term store."""

from __future__ import annotations

CONSIDERED = "considered"
CORRECTION = "correction"
PENDING = "pending"  # a correction that waits for proof
WITHDRAWN = "withdrawn"  # a correction that was taken back, until the next compaction drops it
DEAD_END = "dead-end"  # what failed, with its fix
RULE = "rule"  # a working rule: it stays in the digest
REFUSED = "refused"  # a compactor found that it is no memory: archived, and never shown
FIELDS = ("id", "date", "text", "files", "said", "turn", "mark", "replaces")  # what stays true wherever it is kept


class Entry:
    """`text` in its own words; `said` by the developer or the agent; `turn` is its source, "<session>/<turn>".

    `mark`: "" or one of the above. `replaces`: the id of the entry it takes the place of. `passed`: for a pending
    correction, the later turns that went on without taking it back; for a withdrawn one, the turn that took it back.
    `place`: "notes", "archive" or "cognee".
    """

    __slots__ = ("id", "date", "text", "files", "said", "turn", "mark", "replaces", "place", "passed")

    def __init__(self, id: str, date: str, text: str, files: tuple[str, ...] | list[str] = (), said: str = "",
                 turn: str = "", mark: str = "", replaces: str = "", place: str = "notes",
                 passed: tuple[str, ...] | list[str] = ()) -> None:
        self.id = id
        self.date = date
        self.text = text
        self.files = list(files)
        self.said = said
        self.turn = turn
        self.mark = mark
        self.replaces = replaces
        self.place = place
        self.passed = list(passed)

    def facts(self) -> dict:
        """The fields as plain values, to be written down and compared."""
        return {name: getattr(self, name) for name in FIELDS}

    def but(self, **changed: object) -> Entry:
        """The same entry with some of its facts changed."""
        facts = {name: getattr(self, name) for name in self.__slots__}
        return Entry(**dict(facts, **changed))
