"""Whether two texts say the same thing, by the words that they share."""

from __future__ import annotations

from memsift.terms import NUMBER
from memsift.terms import whole_terms

SAME_SHARE = 0.85
# "don", "isn" and their like are what is left of "don't" and "isn't".
_DENIALS = frozenset("not no never without cannot don doesn isn aren won nicht nie ohne kein keine keinen pas jamais "
                     "sans non sin nunca".split())


def words(text: str) -> set[str]:
    """The whole words, names and numbers of a text, whichever letters of them are large."""
    return whole_terms(text.lower())


def share(part: set[str], whole: set[str]) -> float:
    """How much of `part` is in `whole`, 0 to 1; an empty part is in nothing."""
    return len(part & whole) / len(part) if part else 0.0


def says_the_same(new: set[str], old: set[str], enough: float = SAME_SHARE) -> bool:
    """Whether the new words add nothing to the old ones: nearly all are there, and every number and denial is."""
    return share(new, old) >= enough and all(word in old for word in new if word[0] == NUMBER or word in _DENIALS)
