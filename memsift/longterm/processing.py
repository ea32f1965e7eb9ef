"""processing.json: that the long-term store has taken in documents of which nobody knows yet that it made them searchable.

It does so in its own time, and may fail, or be killed meanwhile. So a later session asks, and has it done again.
"""

from __future__ import annotations

import json

from memsift import files
from memsift.home import Home

VERSION = 1
PATIENCE_SECONDS = 1800  # a store that works longer has stopped, and does not know it
_FIRST_WAIT_SECONDS = 600  # before the second repair, then twice as long each time: it may cost a language model's calls
_LONGEST_WAIT_SECONDS = 86_400


class Unprocessed:
    """`since`: when the store was last asked, in seconds since 1970. `repairs`: how often again. `problem`: what it
    said of it last, "" while nothing is wrong."""

    __slots__ = ("since", "repairs", "problem")

    def __init__(self, since: float, repairs: int = 0, problem: str = "") -> None:
        self.since = since
        self.repairs = repairs
        self.problem = problem

    def is_recent(self, now: float) -> bool:
        """Whether the store may still be at it."""
        return 0 <= now - self.since < PATIENCE_SECONDS

    def may_repair(self, now: float) -> bool:
        """Whether enough time has passed since the last repair, which was in vain."""
        wait = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** (min(self.repairs, 30) - 1)) if self.repairs > 0 else 0
        return not 0 <= now - self.since < wait


def load(home: Home, repository: str) -> Unprocessed | None:
    """None where everything is known to be processed. Raises OSError."""
    text = files.read_text(home.processing(repository)).strip("\0 \r\n")
    if not text:
        return None
    try:
        facts = json.loads(text)
        return Unprocessed(float(facts["since"]), int(facts.get("repairs", 0)), str(facts.get("problem", "")))
    except (ValueError, TypeError, KeyError, AttributeError):
        return Unprocessed(0.0)  # it stood here for something


def write(home: Home, repository: str, state: Unprocessed) -> None:
    """Raises OSError."""
    facts = {"version": VERSION, "since": int(state.since), "repairs": state.repairs, "problem": state.problem}
    files.write_text(home.processing(repository), json.dumps(facts) + "\n")


def clear(home: Home, repository: str) -> None:
    """Everything is processed. Raises OSError."""
    files.remove(home.processing(repository))
