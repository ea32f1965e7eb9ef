"""What of a text somebody wrote as language, as opposed to code, logs and listings that were pasted into it."""

from __future__ import annotations

import re

PARAGRAPH_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+\u2022]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")
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
    if line[0] in " \t" and PARAGRAPH_MARK.match(line) is None:
        return tokens > 4 and plain >= 0.85 * tokens
    return plain >= 0.6 * tokens or (tokens < 3 and plain > 0)
