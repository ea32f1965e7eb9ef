"""The terms under which the archive finds an entry: those of memsift/terms.py, and a piece of every word.

The pieces find a word inside a compound ("Verwaltung" in "Zugriffsverwaltung"), behind a prefix, in another form or
with a slip of the finger. They are no part of terms.py itself, since the embedded sorter was trained on that.
"""

from __future__ import annotations

from memsift.terms import GRAM
from memsift.terms import NUMBER
from memsift.terms import STEM
from memsift.terms import terms

PIECE = 4  # characters
_HAS_PIECES_FROM = 8  # terms.py cuts words of this length itself


def index_terms(text: str) -> list[str]:
    """The distinct terms of a text, in order."""
    found: dict[str, None] = {}
    for term in dict.fromkeys(terms(text)):
        found[term] = None
        if PIECE <= len(term) < _HAS_PIECES_FROM and term[0] not in (STEM, GRAM, NUMBER):
            for start in range(len(term) - PIECE + 1):
                found[GRAM + term[start:start + PIECE]] = None
    return list(found)
