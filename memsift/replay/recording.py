"""A recorded conversation as plain data, the same for every sort of file that it can come from."""

from __future__ import annotations

from memsift.entry import Entry

PROMPT, SAID, EDIT, COMMAND, COMPACTION = "prompt", "said", "edit", "command", "compaction"
TAUGHT = ("keep", "correction")


class BadRecording(Exception):
    """The file is no recording that can be played; the message names the file and says why."""


class Step:
    """One thing in a turn, in the order in which it happened.

    `kind`: a PROMPT of the developer's, a text SAID by the agent, an EDIT of the file `text`, a COMMAND that was run
    (`ok`: it passed; `output`: what it printed), or a COMPACTION with its summary and the prompts that it `kept`.
    """

    __slots__ = ("kind", "text", "ok", "output", "kept")

    def __init__(self, kind: str, text: str, ok: bool = True, output: str = "", kept: list[str] | tuple = ()) -> None:
        self.kind = kind
        self.text = text
        self.ok = ok
        self.output = output
        self.kept = list(kept)


class Gold:
    """What is expected of a turn: the `kind` of its prompt, the ids of the turns and entries that it `needs`, whether
    it is worth to `keep`, the `fact` to remember and the id of the turn or entry that the fact `replaces`."""

    __slots__ = ("kind", "needs", "keep", "fact", "replaces")

    def __init__(self, kind: str = "", needs: list[str] | tuple = (), keep: str = "nothing", fact: str = "",
                 replaces: str = "") -> None:
        self.kind = kind
        self.needs = list(needs)
        self.keep = keep
        self.fact = fact
        self.replaces = replaces


class Turn:
    """The prompts, tools and texts of one turn; `gold` is None where nobody labelled it."""

    __slots__ = ("id", "day", "steps", "gold")

    def __init__(self, id: str, day: str, steps: list[Step], gold: Gold | None = None) -> None:
        self.id = id
        self.day = day
        self.steps = steps
        self.gold = gold

    @property
    def prompts(self) -> list[str]:
        return [step.text for step in self.steps if step.kind == PROMPT]

    @property
    def answer(self) -> str:
        """The last text of the agent; "" for a turn that was broken off."""
        return next((step.text for step in reversed(self.steps) if step.kind == SAID), "")


class Session:
    """The turns of one session in a host."""

    __slots__ = ("id", "host", "turns")

    def __init__(self, id: str, host: str, turns: list[Turn]) -> None:
        self.id = id
        self.host = host
        self.turns = turns


class Recording:
    """Everything that one file holds.

    `project`: a name for the folder to play it in. `place`: the folder where it was recorded, which recordings of the
    same project share, or "" for one that stands alone. `began`: when, as an ISO time, where the file says so.
    `entries`: what long-term memory holds from the start.
    """

    __slots__ = ("path", "project", "place", "began", "sessions", "entries")

    def __init__(self, path: str, project: str, sessions: list[Session], place: str = "",
                 began: str = "", entries: list[Entry] | tuple = ()) -> None:
        self.path = path
        self.project = project
        self.place = place
        self.began = began
        self.sessions = sessions
        self.entries = list(entries)

    @property
    def turns(self) -> list[Turn]:
        return [turn for session in self.sessions for turn in session.turns]

    @property
    def is_labelled(self) -> bool:
        return any(turn.gold for turn in self.turns)

    def count_prompts(self) -> int:
        return sum(len(turn.prompts) for turn in self.turns)
