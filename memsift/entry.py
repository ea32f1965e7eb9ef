"""One remembered item, wherever it is kept: a working note, an archived one, or a passage of the long-term store."""

from __future__ import annotations

CONSIDERED = "considered"
CORRECTION = "correction"


class Entry:
    """`text` in its own words; `said` by the developer or the agent; `turn` is its source, "<session>/<turn>".

    `mark`: "", "considered" (only an option) or "correction". `replaces`: the id of the entry it takes the place of.
    `place`: "notes" or "archive".
    """

    __slots__ = ("id", "date", "text", "files", "said", "turn", "mark", "replaces", "place")

    def __init__(self, id: str, date: str, text: str, files: tuple[str, ...] | list[str] = (), said: str = "",
                 turn: str = "", mark: str = "", replaces: str = "", place: str = "notes") -> None:
        self.id = id
        self.date = date
        self.text = text
        self.files = list(files)
        self.said = said
        self.turn = turn
        self.mark = mark
        self.replaces = replaces
        self.place = place
