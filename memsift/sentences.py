"""The sentences of a markdown text."""

from __future__ import annotations

import re

from memsift.prose import PARAGRAPH_MARK

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
            content = re.sub(PARAGRAPH_MARK, "", line).strip()
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
