"""What of a text somebody wrote as language, as opposed to code, logs and listings that were pasted into it."""

from __future__ import annotations

import re

# As a string, since it is compiled when it is first needed: most prompts have no use for it.
PARAGRAPH_MARK = r"^\s*(?:#{1,6}\s+|>\s?|[-*+\u2022]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+"
_OPENING = "(\"'\u00ab\u201e\u201c*"
_CLOSING = ")\"'\u00bb\u201d*.,;:!?\u2026"
_JOINTS = str.maketrans("'\u2019", "--")


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
    tokens = line.split()
    if not tokens or line.lstrip()[0] in "{}[]<$|":
        return False
    total, plain = len(tokens), sum(map(_is_word, tokens))
    if line[0] in " \t" and re.match(PARAGRAPH_MARK, line) is None:
        return total > 4 and plain >= 0.85 * total
    return plain >= 0.6 * total or (total < 3 and plain > 0)


def _is_word(token: str) -> bool:
    """Whether it is letters only, joined or in the punctuation of a sentence."""
    letters = token.lstrip(_OPENING).rstrip(_CLOSING)
    return letters.isalpha() or all(map(str.isalpha, letters.translate(_JOINTS).split("-")))
