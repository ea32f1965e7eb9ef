"""What the local sorter's linear model sees of each candidate for a prompt, as rows of numbers."""

from __future__ import annotations

from math import log

from memsift.entry import Entry
from memsift.judgement import KINDS
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import Message
from memsift.sorters.closeness import Background
from memsift.sorters.closeness import Closeness
from memsift.sorters.signs import prompt_text
from memsift.terms import GRAM
from memsift.terms import NUMBER
from memsift.terms import focus

END_LIMIT = 300
RECENT_LIMIT = 1_200
SAID_LIMIT = 4_000
SAID_MESSAGES = 12


def features(prompt: str, recent: list[Message], candidates: list[Entry], kinds: dict[str, float], lack: float,
             background: Background) -> list[list[float]]:
    """One row of numbers per candidate, in their order. `lack`: how much the prompt sounds as if the agent lacked
    something, as a margin around 0."""
    return with_kinds(near_rows(prompt, recent, candidates, background), prompt, recent, kinds, lack)


def near_rows(prompt: str, recent: list[Message], candidates: list[Entry],
              background: Background) -> list[list[float]]:
    """The part of the features that does not depend on the kind of the prompt."""
    closeness = Closeness(candidates, background)
    exchange = " \n".join(focus(message.text, RECENT_LIMIT) for message in recent[-2:])
    said = closeness.query(" \n".join(focus(message.text, SAID_LIMIT) for message in recent[-SAID_MESSAGES:]))
    compared = [Comparison(text, closeness) for text in
               (focus(prompt, RECENT_LIMIT), prompt_text(prompt)[-END_LIMIT:], exchange)]
    newest = max((entry.date for entry in candidates if entry.place == "notes"), default="")
    return [_own(entry, newest) + [value for each in compared for value in each.ranked[i]]
            + _overlap(closeness, i, compared, said) for i, entry in enumerate(candidates)]


class Comparison:
    """A text that candidates are compared with, and what each of them shares with it: terms, and their mass."""

    __slots__ = ("strengths", "mass", "shared", "masses", "ranked")

    def __init__(self, text: str, closeness: Closeness) -> None:
        terms = closeness.query(text)
        self.strengths = {term: closeness.strengths[term] for term in terms}
        self.mass = closeness.mass(terms)
        self.shared = closeness.shared(terms)
        self.masses = [closeness.mass(found) for found in self.shared]
        self.ranked = _ranked(closeness.weighed(self.masses))

    def rarest(self, found: set[str]) -> float:
        """The strength of the term that tells most."""
        return max(map(self.strengths.__getitem__, found), default=0.0)


def with_kinds(rows: list[list[float]], prompt: str, recent: list[Message],
               kinds: dict[str, float], lack: float) -> list[list[float]]:
    """Each row with what is the same for all candidates of a prompt, and with the products of both."""
    columns = _prompt_columns(prompt, recent, kinds) + [lack]
    return [row + columns + _crossed(row, columns[0], kinds["resuming_work"], lack, recent) for row in rows]


def _ranked(scores: list[float]) -> list[tuple[float, float, float, float]]:
    """Per candidate: strength, share of the best, lead over the best other one, and nearness to rank one."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    best = scores[order[0]] if order else 0.0
    second = scores[order[1]] if len(order) > 1 else 0.0
    ranks = {i: rank for rank, i in enumerate(order)}
    found = []
    for i, score in enumerate(scores):
        other = second if ranks[i] == 0 else best
        lead = (score - other) / (score + other + 5.0)
        found.append((log(1.0 + score), score / best if best else 0.0, lead, 1.0 / (1 + ranks[i])))
    return found


def _overlap(closeness: Closeness, i: int, compared: list[Comparison], said: set[str]) -> list[float]:
    """What a candidate shares: its rarest shared terms, coverage both ways, what has been said already."""
    mass = closeness.masses[i] or 1.0
    known = closeness.mass(closeness.documents[i] & said) / mass
    prompt, end, exchange = compared
    whole = prompt.shared[i]
    rare = sorted([prompt.strengths[term] for term in whole if term[0] != GRAM], reverse=True)[:3]
    words = len([term for term in whole if term[0] > "9"]) / 4.0
    numbers = float(len([term for term in whole if term[0] == NUMBER]))
    return rare + [0.0] * (3 - len(rare)) + [
        end.rarest(end.shared[i]), exchange.rarest(exchange.shared[i]), prompt.rarest(whole - said),
        prompt.masses[i] / mass, prompt.masses[i] / (prompt.mass or 1.0), end.masses[i] / mass,
        known, known * known, words, numbers, log(mass)]


def _own(entry: Entry, newest: str) -> list[float]:
    archived = entry.place == "archive"
    return [float(archived), float(entry.date == newest and not archived), float(entry.mark == "correction"),
            float(entry.mark == "considered"), float(entry.said == "agent")]


def _prompt_columns(prompt: str, recent: list[Message], kinds: dict[str, float]) -> list[float]:
    need = sum(kinds[kind] for kind in MEMORY_KINDS)
    written = len(prompt_text(prompt))
    return [log((need + 0.01) / (1.01 - need)), *(kinds[kind] for kind in KINDS), float(not recent),
            log(1.0 + written), log(1.0 + max(0, len(prompt) - written)), log(1.0 + len(recent))]


def _crossed(row: list[float], need: float, resuming: float, lack: float, recent: list[Message]) -> list[float]:
    """Products that a linear model cannot make by itself."""
    archived, latest = row[0], row[1]
    strength, share, lead, end_share = row[5:8] + [row[10]]
    return [need * strength, need * share, need * end_share, resuming * latest,
            resuming * (1.0 - latest) * (1.0 - archived), lead * strength, 0.0 if recent else strength,
            lack * strength, lack * share, lack * lead, lack * end_share]
