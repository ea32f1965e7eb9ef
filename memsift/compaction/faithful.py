"""Whether a reworded note says only what its sources say. Deliberately narrow: what cannot be seen to be right is refused,
and the sources are kept as they are.
"""

from __future__ import annotations

from memsift.compaction.wording import DENIALS
from memsift.compaction.wording import DIRECTIONS
from memsift.compaction.wording import EMPTY
from memsift.compaction.wording import PLAIN
from memsift.compaction.wording import Word
from memsift.compaction.wording import read
from memsift.compaction.wording import stem
from memsift.compaction.wording import telling


def fault(text: str, sources: list[str]) -> str:
    """What is wrong with a text that was made from the sources, in a few words; "" for nothing."""
    new, old = read(text), [read(source) for source in sources]
    invented = _invented(new, old)
    if invented:
        return "not in its sources: %s" % ", ".join(invented[:5])
    if _is_turned(new, old):
        return "a denial was added, dropped or moved"
    swapped = _swapped(new, old)
    if swapped:
        return "%s stands with something else in its sources" % swapped
    return ""


def keeps_all(text: str, source: str) -> bool:
    """Whether every word that carries what the source says is in the text as well, its denials included."""
    new = [word.key for word in read(text)]
    there = _reachable(new)
    old = read(source)
    return all(stem(word.key) in there for word in telling(old)) \
        and sum(word.key in DENIALS for word in old) <= sum(key in DENIALS for key in new)


def tells_more(text: str, sources: list[str]) -> bool:
    """Whether a text holds a number, a name or a path that no source holds."""
    known = {key for source in sources for key in _reachable([word.key for word in read(source)])}
    spelled = {token.casefold() for token in text.split() if token[:1].isupper()}
    return any(stem(word.key) not in known and (word.is_number or not word.key.isalpha() or word.key in spelled)
               for word in telling(read(text))[1:])


def clashes(text: str, other: str) -> bool:
    """Whether two texts of the same words say different things: a denial, a number or a name stands elsewhere."""
    new, old = read(text), read(other)
    seen = _denied_or_not([old])
    return any(word.is_denied not in seen.get(stem(word.key), (True, False)) for word in telling(new)) \
        or bool(_swapped(new, [old]))


def _reachable(keys: list[str]) -> set[str]:
    """The stems of words, and the ends of paths, which are how a path is called in short."""
    found = {stem(key) for key in keys}
    for key in keys:
        while "/" in key:
            key = key[key.index("/") + 1:]
            found.add(key)
    return found


def _invented(new: list[Word], old: list[list[Word]]) -> list[str]:
    known = _reachable([word.key for words in old for word in words])
    return [word.key for word in new if word.key not in PLAIN and stem(word.key) not in known]


def _is_turned(new: list[Word], old: list[list[Word]]) -> bool:
    """Whether a denial came, went, or now stands with other words than in the sources."""
    counts = [sum(word.key in DENIALS for word in words) for words in old]
    count = sum(word.key in DENIALS for word in new)
    if not max(counts) <= count <= sum(counts):
        return True
    seen = _denied_or_not(old)
    return any(word.is_denied not in seen.get(stem(word.key), (True, False)) for word in telling(new))


def _denied_or_not(texts: list[list[Word]]) -> dict[str, set[bool]]:
    """For each telling word, whether it stands with a denial, without one, or both."""
    seen: dict[str, set[bool]] = {}
    for words in texts:
        for word in telling(words):
            seen.setdefault(stem(word.key), set()).add(word.is_denied)
    return seen


def _swapped(new: list[Word], old: list[list[Word]]) -> str:
    """A word that now stands with another number, after another preposition, or on the other side of another word."""
    before, now = _directions(old), _directions([new])
    for key, found in now.items():
        if found and before.get(key) and not found <= before[key]:
            return key
    clauses = [clause for words in old for clause in _clauses(words)]
    for clause in _clauses(new):
        told = [stem(word.key) for word in telling(clause)]
        numbers = [word.key for word in telling(clause) if word.is_number]
        for number in numbers:
            wrong = next((key for key in told if key not in numbers and _stands_only_elsewhere(key, number, clauses)), "")
            if wrong:
                return wrong
        if numbers[1:] or any(word.key in DIRECTIONS for word in clause):
            turned = _turned_pair(told, old)
            if turned:
                return turned
    return ""


def _directions(texts: list[list[Word]]) -> dict[str, set[str]]:
    """The words of direction that stand right before each word: from, to, instead ..."""
    found: dict[str, set[str]] = {}
    for words in texts:
        last = ""
        for word in words:
            if word.key in DIRECTIONS:
                last = word.key
            elif word.key not in EMPTY:
                found.setdefault(stem(word.key), set()).update([last] if last else [])
                last = ""
    return found


def _clauses(words: list[Word]) -> list[list[Word]]:
    found: dict[int, list[Word]] = {}
    for word in words:
        found.setdefault(word.clause, []).append(word)
    return list(found.values())


def _stands_only_elsewhere(key: str, number: str, clauses: list[list[Word]]) -> bool:
    """Whether the sources have this word with other numbers, and never with this one."""
    others = False
    for clause in clauses:
        keys = {stem(word.key) for word in clause}
        if key in keys:
            if number in keys:
                return False
            others = others or any(word.is_number for word in clause)
    return others


def _turned_pair(told: list[str], old: list[list[Word]]) -> str:
    """The first of two words that stand in the other order in every source that has both."""
    orders = [{key: place for place, key in reversed(list(enumerate(stem(word.key) for word in words)))} for words in old]
    for place, first in enumerate(told):
        for second in told[place + 1:]:
            both = [order[first] < order[second] for order in orders if first in order and second in order]
            if first != second and both and not any(both):
                return first
    return ""
