"""Text turned into terms that can be compared, whatever the language.

A term starts with what it is: a letter for a word, `STEM` for the beginning of a word, `GRAM` for a piece of
a long word (compounds), `NUMBER` for a number or a version. All terms are letters and digits only, so any
full-text index takes them unchanged.
"""
from __future__ import annotations

import re

STEM = "0"
GRAM = "1"
NUMBER = "2"

_CHUNK = re.compile(r"[^\W_]+(?:[_./:\-]{1,2}[^\W_]+)*")
_JOINT = re.compile(r"[_./:\-]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_COMBINING = re.compile("[\u0300-\u036f]+")
_LONGEST_CHUNK = 96
_LONGEST_WORD = 32
_KNOWN_AT_MOST = 60_000
_known: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """All terms of a text in order, repeated as often as they occur; time is in proportion to its length."""
    if len(_known) > _KNOWN_AT_MOST:
        _known.clear()
    known = _known
    found: list[str] = []
    for chunk in _CHUNK.findall(fold(text)):
        expanded = known.get(chunk)
        if expanded is None:
            expanded = known[chunk] = tuple(_expand(chunk[:_LONGEST_CHUNK]))
        found += expanded
    return found


def fold(text: str) -> str:
    """The text without accents; case is kept, since it shows where identifiers are joined."""
    if text.isascii():
        return text
    import unicodedata

    bare = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare)


def _expand(chunk: str) -> list[str]:
    if chunk.isalpha() and chunk[1:].islower():
        found: list[str] = []
        _add_word(found, chunk.casefold())
        return found
    segments = [segment for segment in _JOINT.split(chunk) if segment]
    if len(segments) > 1 and all(segment.isdigit() for segment in [segments[0].lstrip("v")] + segments[1:]):
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


_PARAGRAPH_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+\u2022]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")
_TABLE_RULE = re.compile(r"^[\s|:\-+=]+$")
_STOP = re.compile(r"[.!?\u2026]{1,9}[\"')\]*_`\u00bb\u201d\u2019]{0,4}\s+|[\u3002\uff01\uff1f]+\s*")
_LAST_WORD = re.compile(r"[^\s(]*$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a markdown text, in their own words, without code blocks, rules and marks of lists."""
    found: list[str] = []
    for paragraph in _paragraphs(text):
        start = 0
        for stop in _STOP.finditer(paragraph):
            if _ends_sentence(paragraph, start, stop):
                found.append(paragraph[start:stop.end()].strip())
                start = stop.end()
        rest = paragraph[start:].strip()
        if rest:
            found.append(rest)
    return found


def _paragraphs(text: str) -> list[str]:
    found: list[str] = []
    fence = ""
    open_line = False
    for line in text.splitlines():
        bare = line.strip()
        if bare[:3] in ("```", "~~~"):
            fence = "" if fence == bare[:3] else (fence or bare[:3])
            open_line = False
        elif fence or not bare or _TABLE_RULE.match(bare):
            open_line = False
        else:
            content = _PARAGRAPH_MARK.sub("", line).strip()
            if open_line and content == bare and bare[0].islower():
                found[-1] += " " + content
            elif content:
                found.append(content)
            # Only a line long enough to have been wrapped goes on in the next one.
            open_line = len(bare) > 60 and bare[-1] not in ".!?:;"
    return found


def _ends_sentence(paragraph: str, start: int, stop: re.Match) -> bool:
    if stop.group()[0] != "." or stop.end() >= len(paragraph):
        return True
    # The last 24 characters are enough to see an abbreviation, and keep the search short.
    word = _LAST_WORD.search(paragraph[max(start, stop.start() - 24):stop.start()]).group()
    if len(word) < 2 or ("." in word and len(word) < 6):
        return False
    following = paragraph[stop.end()]
    return len(word) > 3 or not (following.islower() or following.isdigit())


def focus(text: str, limit: int) -> str:
    """At most `limit` characters of the text: a little of its head and, above all, its tail."""
    if len(text) <= limit:
        return text
    head = limit // 4
    tail = limit - head - 3
    return text[:head] + "\n\u2026\n" + text[len(text) - tail:]


_TYPED_WORD = re.compile(
    r"(?:^|(?<=\s))[(\"'\u00ab\u201e\u201c*]*"
    r"[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*"
    r"[)\"'\u00bb\u201d*.,;:!?\u2026]*(?=\s|$)")


def typed(text: str) -> str:
    """The lines that somebody wrote as language, without pasted code, logs and listings."""
    kept: list[str] = []
    fence = False
    for line in text.splitlines():
        if line.lstrip()[:3] in ("```", "~~~"):
            fence = not fence
        elif not fence and is_typed(line):
            kept.append(line)
    return "\n".join(kept)


def is_typed(line: str) -> bool:
    """Whether a line is mostly plain words."""
    tokens = len(line.split())
    if not tokens or line.lstrip()[0] in "{}[]<$|":
        return False
    plain = len(_TYPED_WORD.findall(line))
    if line[0] in " \t" and _PARAGRAPH_MARK.match(line) is None:
        return tokens > 4 and plain >= 0.85 * tokens
    return plain >= 0.6 * tokens or (tokens < 3 and plain > 0)
