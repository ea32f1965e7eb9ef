"""Text turned into terms that can be compared, whatever the language.

A term starts with what it is: a letter for a word, `STEM` for the beginning of a word, `GRAM` for a piece of
a long word (compounds), `NUMBER` for a number or a version. All terms are letters and digits only, so any
full-text index takes them unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable

STEM = "0"
GRAM = "1"
NUMBER = "2"

_CHUNK = re.compile(r"[^\W_]+(?:[_./:\-]{1,2}[^\W_]+)*")
_JOINT = re.compile(r"[_./:\-]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_COMBINING = "[\u0300-\u036f]+"  # as a string, since it is compiled when it is first needed
_LONGEST_CHUNK = 96
_LONGEST_WORD = 32
_KNOWN_AT_MOST = 60_000
_known: dict[str, tuple[str, ...]] = {}
_known_whole: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """All terms of a text in order, repeated as often as they occur; time is in proportion to its length."""
    return _made_of(text, _terms_of, _known)


def whole_terms(text: str) -> set[str]:
    """The terms of a text but for the beginnings and pieces of words, which are most of the work."""
    return set(_made_of(text, _whole_terms_of, _known_whole))


def _made_of(text: str, make: Callable[[str], list[str]], known: dict[str, tuple[str, ...]]) -> list[str]:
    """What each token of a text is made into, in order; `known`: what some were made into before."""
    if len(known) > _KNOWN_AT_MOST:
        known.clear()
    found: list[str] = []
    for token in fold(text).split():
        made = known.get(token)
        if made is None:
            made = tuple(make(token))
            if len(token) <= _LONGEST_CHUNK:
                known[token] = made
        found += made
    return found


def _terms_of(token: str) -> list[str]:
    """The terms of a text without white space, beyond which no chunk goes."""
    return [term for chunk in _CHUNK.findall(token) for term in _expand(chunk[:_LONGEST_CHUNK])]


def _whole_terms_of(token: str) -> list[str]:
    if token.isascii() and token.isalpha() and token.islower():
        return [token[:_LONGEST_WORD]] if len(token) > 1 else []
    return [term for term in _terms_of(token) if term[0] not in (STEM, GRAM)]


def fold(text: str) -> str:
    """The text without accents; case is kept, since it shows where identifiers are joined."""
    if text.isascii():
        return text
    import unicodedata

    bare = re.sub(_COMBINING, "", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare)


def _expand(chunk: str) -> list[str]:
    if chunk.isalpha() and chunk[1:].islower():
        found: list[str] = []
        _add_word(found, chunk.casefold())
        return found
    segments = [segment for segment in _JOINT.split(chunk) if segment]
    if len(segments) > 1 and all(map(str.isdigit, [segments[0].lstrip("v")] + segments[1:])):
        return [NUMBER + "p".join(segments).lstrip("v")]
    found = []
    for segment in segments:
        _add_segment(found, segment)
    if len(segments) > 1:
        name = _JOINT.sub("", chunk[chunk.rfind("/") + 1:]).casefold()
        if name and name not in found:
            _add_whole(found, name)
    return found


def _add_segment(found: list[str], segment: str) -> None:
    """Adds one name without joints: itself, and its parts when it is written in camel case."""
    if segment.isascii() and not segment.islower() and not segment.isdigit():
        parts = _CAMEL.findall(segment)
        if len(parts) > 1:
            _add_whole(found, segment.lower())
            for part in parts:
                if len(part) > 2:
                    _add_word(found, part.lower())
            return
    _add_word(found, segment.casefold())


def _add_whole(found: list[str], name: str) -> None:
    found.append(NUMBER + name if name[0].isdigit() else name[:_LONGEST_WORD])


def _add_word(found: list[str], word: str) -> None:
    word = word[:_LONGEST_WORD]
    length = len(word)
    if word[0].isdigit():
        found.append(NUMBER + word)
    elif word[0] > "\u2e7f":
        found += [word[i:i + 2] for i in range(max(1, length - 1))]
    elif length > 1:
        found.append(word)
        if length in (4, 5):
            found.append(STEM + word[:4])
        if length > 4:
            found.append(STEM + word[:5])
        if length > 7:
            found += [GRAM + word[i:i + 4] for i in range(length - 3)]


def focus(text: str, limit: int) -> str:
    """At most `limit` characters of the text: a little of its head and, above all, its tail."""
    if len(text) <= limit:
        return text
    head = limit // 4
    tail = limit - head - 3
    return text[:head] + "\n\u2026\n" + text[len(text) - tail:]
