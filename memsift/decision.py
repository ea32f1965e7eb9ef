"""What is added to a prompt, decided from what the sorter answered. Nothing here reads, sends or writes.

A Decision is what is logged, tested and shown: every candidate with its score and its fate.
"""

from __future__ import annotations

from memsift import block
from memsift.entry import Entry
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import PassageJudgement
from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds

ADDED = "added"
BELOW = "below threshold"
BEHIND = "far behind the best one"
NOT_JUDGED = "over the size of a request"
SAID = "already in the conversation"
SUPERSEDED = "replaced by a newer note"
OVER_COUNT = "over the number of notes"
OVER_LENGTH = "over the number of characters"
NOT_NEEDED = "this kind of prompt needs nothing"
_ANSWERS = (ADDED, SAID, OVER_COUNT, OVER_LENGTH)
BESIDE = 0.65  # of the best score: what is further behind it is hardly ever what was needed, and costs characters


class Limits:
    """At most so many notes and characters for one prompt."""

    __slots__ = ("notes", "characters")

    def __init__(self, notes: int, characters: int) -> None:
        self.notes = notes
        self.characters = characters


class Fate:
    """A candidate, its score, and what became of it."""

    __slots__ = ("entry", "score", "fate")

    def __init__(self, entry: Entry, score: float | None, fate: str) -> None:
        self.entry = entry
        self.score = score
        self.fate = fate


class Decision:
    """The outcome for one prompt. `need`: probability that it may need memory. `milliseconds`: time per step.

    `store`: what the long-term store did for it, "" where it was not asked.
    """

    __slots__ = ("kind", "kinds", "need", "sorter", "fates", "context", "store", "milliseconds", "session", "turn")

    def __init__(self, kind: str, kinds: dict[str, float], need: float, sorter: str, fates: list[Fate],
                 context: str) -> None:
        self.kind = kind
        self.kinds = kinds
        self.need = need
        self.sorter = sorter
        self.fates = fates
        self.context = context
        self.store = ""
        self.milliseconds: dict[str, float] = {}
        self.session = ""
        self.turn = ""

    @property
    def added(self) -> list[Entry]:
        return [fate.entry for fate in self.fates if fate.fate == ADDED]

    def facts(self) -> dict:
        """The decision as plain values for the log, without the text of the prompt or of a note."""
        return {
            "session": self.session, "turn": self.turn, "sorter": self.sorter, "kind": self.kind,
            "need": round(self.need, 3), "kinds": {kind: round(p, 3) for kind, p in self.kinds.items()},
            "added": [note.id for note in self.added], "characters": len(self.context),
            "store": self.store,
            "candidates": [[fate.entry.id, fate.entry.place, _rounded(fate.score), fate.fate] for fate in self.fates],
            "milliseconds": {step: round(spent, 1) for step, spent in self.milliseconds.items()},
        }


def decide(judgement: PromptJudgement, candidates: list[Entry], said: set[str], thresholds: Thresholds,
           limits: Limits) -> Decision:
    """Choose among the judged candidates. `said`: ids of those that the agent already sees."""
    need = sum(judgement.kinds.get(kind, 0.0) for kind in MEMORY_KINDS)
    kind = max(judgement.kinds, key=judgement.kinds.get) if judgement.kinds else ""
    fates = _fates(judgement.scores, candidates, candidates, said, thresholds, need)
    return Decision(kind, judgement.kinds, need, judgement.sorter, fates, _spend(fates, limits))


def likely(candidates: list[Entry], scores: list[float | None], thresholds: Thresholds) -> list[Entry]:
    """Those that may be added: only of these does it matter whether the agent sees them already."""
    return [entry for entry, score in zip(candidates, scores) if (score or 0.0) >= thresholds.add]


def wants_passages(made: Decision, worth: float | None, thresholds: Thresholds) -> bool:
    """Whether to ask the long-term store: memory may be needed, nothing on this machine answers, and the subject is
    of the sort that memory keeps. `worth`: the probability of the latter, None where the sorter does not tell."""
    is_answered = any(fate.fate in _ANSWERS for fate in made.fates)
    is_needed = bool(made.kinds) and made.need >= thresholds.need
    return is_needed and not is_answered and (worth is None or worth >= thresholds.worth)


def fitting_datasets(purposes: dict[str, str], judged: dict[str, float], thresholds: Thresholds) -> list[str]:
    """The datasets to ask, best first: those that fit, the closest one where none does, all where nobody judged."""
    ranked = sorted((name for name in purposes if name in judged), key=lambda name: -judged[name])
    return [name for name in ranked if judged[name] >= thresholds.dataset] or ranked[:1] or list(purposes)


def not_judged_yet(passages: list[Entry], made: Decision) -> list[Entry]:
    """The passages that were no candidates before: an entry that was sent to the store is on this machine as well."""
    judged = {fate.entry.id for fate in made.fates if fate.score is not None}
    return [passage for passage in passages if passage.id not in judged]


def decide_on_passages(made: Decision, judgement: PassageJudgement, passages: list[Entry], said: set[str],
                       thresholds: Thresholds, limits: Limits) -> Decision:
    """The decision, gone on with the passages that were judged; `made` had added nothing."""
    everything = passages + [fate.entry for fate in made.fates]
    fates = _fates(judgement.scores, passages, everything, said, thresholds, made.need)
    sorter = made.sorter if made.sorter == judgement.sorter else "%s, %s" % (made.sorter, judgement.sorter)
    return Decision(made.kind, made.kinds, made.need, sorter, fates + made.fates, _spend(fates, limits))


def _fates(scores: list[float | None], candidates: list[Entry], known: list[Entry], said: set[str],
           thresholds: Thresholds, need: float) -> list[Fate]:
    """A first fate for each candidate on its own, best score first. `known`: all that may replace one of them."""
    replaced = {entry.replaces for entry in known if entry.replaces}
    least = BESIDE * max((score for score in scores if score is not None), default=0.0)
    fates = []
    for entry, score in zip(candidates, scores):
        if need < thresholds.need:
            fate = NOT_NEEDED
        elif score is None:
            fate = NOT_JUDGED
        elif entry.id in replaced:
            fate = SUPERSEDED
        elif entry.id in said:
            fate = SAID
        elif score < thresholds.add:
            fate = BELOW
        else:
            fate = ADDED if score >= least else BEHIND
        fates.append(Fate(entry, score, fate))
    return sorted(fates, key=lambda fate: -(fate.score or 0.0))


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 3)


def _spend(fates: list[Fate], limits: Limits) -> str:
    """Take away what does not fit, and the text of the rest; a long note that does not fit leaves room for a shorter
    one."""
    notes, characters = limits.notes, limits.characters - len(block.HEADER)
    for fate in fates:
        if fate.fate != ADDED:
            continue
        length = len(block.line(fate.entry)) + 1
        if notes == 0:
            fate.fate = OVER_COUNT
        elif length > characters:
            fate.fate = OVER_LENGTH
        else:
            notes -= 1
            characters -= length
    return block.render([fate.entry for fate in fates if fate.fate == ADDED])
