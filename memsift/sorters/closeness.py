"""How close candidates are to a text, weighed by how much each shared term means."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from itertools import repeat
from math import fsum
from math import log

from memsift.entry import Entry
from memsift.sorters.signs import ANSWER_LIMIT
from memsift.sorters.weights import slots
from memsift.terms import GRAM
from memsift.terms import STEM
from memsift.terms import focus
from memsift.terms import terms

MANY = 40
REPLACED_FROM = 0.35
_TURN_LIMIT = 1_200
_STEM_SHARE = 0.6
_GRAM_SHARE = 0.15
_GRAM_RARITY = 2.0


class Background:
    """How often terms occur in developers' talk at large, in any language it was counted in."""

    __slots__ = ("table", "bits")

    def __init__(self, table: bytes, bits: int) -> None:
        self.table = table
        self.bits = bits

    def rarity(self, found: list[str]) -> dict[str, float]:
        """-2 for the commonest to 6 for a term never seen."""
        steps = [6.0 - step / 32.0 for step in range(256)]
        table = self.table
        return {term: steps[table[slot]] for term, slot in zip(found, slots(found, self.bits))}


class Closeness:
    """Candidates that can be compared with texts.

    The strength of a term says how much sharing it means: rare among the candidates, rare in talk at large.
    The mass of a candidate is the strength of all its words.
    """

    __slots__ = ("documents", "strengths", "masses", "lengths")

    def __init__(self, candidates: list[Entry], background: Background) -> None:
        self.documents = [set(terms(candidate.text)) for candidate in candidates]
        of_words, of_grams = _strengths(self.documents, background)
        self.strengths = {**of_words, **of_grams}
        self.masses = [fsum(map(of_words.get, document, repeat(0.0))) for document in self.documents]
        average = sum(self.masses) / max(1, len(self.masses)) or 1.0
        self.lengths = [0.5 + 0.5 * mass / average for mass in self.masses]

    def mass(self, found: set[str]) -> float:
        """The strength of some terms together."""
        # Exact in any order: a set has another one in each process, and training must give the same bytes.
        return fsum(map(self.strengths.__getitem__, found))

    def query(self, text: str) -> set[str]:
        """The terms of a text that occur in any candidate."""
        return self.strengths.keys() & set(terms(text))

    def shared(self, query: set[str]) -> list[set[str]]:
        """Which terms of a query each candidate has."""
        return [query & document for document in self.documents]

    def scores(self, query: set[str]) -> list[float]:
        """How much of a query's strength each candidate has, long candidates counting a little less."""
        return self.weighed([self.mass(found) for found in self.shared(query)])

    def weighed(self, masses: list[float]) -> list[float]:
        """What each candidate shares of a query, long candidates counting a little less."""
        return [mass / length for mass, length in zip(masses, self.lengths)]


def _strengths(documents: list[set[str]], background: Background) -> tuple[dict[str, float], dict[str, float]]:
    """Those of words, stems and numbers, and those of the pieces of words."""
    counts = Counter(chain.from_iterable(documents))
    # A few candidates say nothing about how rare a term is in the project: count as if there were more.
    total = max(len(documents), MANY) + 1.0
    logs = [log(total / (count + 0.5)) for count in range(len(documents) + 1)]
    of_grams = {term: (logs[count] + _GRAM_RARITY) * _GRAM_SHARE for term, count in counts.items() if term[0] == GRAM}
    of_words = background.rarity([term for term in counts if term[0] != GRAM])
    for term, rarity in of_words.items():
        strength = max(0.0, logs[counts[term]] + rarity)
        of_words[term] = strength * _STEM_SHARE if term[0] == STEM else strength
    return of_words, of_grams


def share_known(prompt: str, answer: str, notes: list[Entry], background: Background) -> float:
    """How much of one of the notes a turn says again, 0 to 1: the most of any."""
    closeness = Closeness(notes, background)
    said = closeness.query(focus(answer, ANSWER_LIMIT)) | closeness.query(focus(prompt, _TURN_LIMIT))
    return max((min(1.0, closeness.mass(said & document) / (mass or 1.0))
                for document, mass in zip(closeness.documents, closeness.masses)), default=0.0)


def closest(prompt: str, answer: str, notes: list[Entry], background: Background) -> str:
    """The id of the note that a correction most likely speaks of, or "" where none stands out."""
    if not notes:
        return ""
    closeness = Closeness(notes, background)
    text = focus(prompt, _TURN_LIMIT) + "\n" + focus(answer, _TURN_LIMIT)
    query = closeness.query(text)
    scores = closeness.scores(query)
    best = max(range(len(notes)), key=scores.__getitem__)
    covered = closeness.mass(query & closeness.documents[best]) / (closeness.masses[best] or 1.0)
    return notes[best].id if covered >= REPLACED_FROM else ""
