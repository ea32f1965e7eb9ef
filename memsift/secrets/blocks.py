"""Private key blocks: whole ones, ones cut off at either end, and ones with their line ends spelled "\\n"."""

from __future__ import annotations

import re

_MARK = re.compile(
    r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,8} ?-{0,5}|(Private)-Lines: \d+")
# What a key is made of: base64 in long pieces, line ends written either way, what quoting puts between,
# headers,
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\n\\]{0,80}"
# and a last, shorter piece.
_LAST = r"[A-Za-z0-9+/]{1,15}(?:={1,2}(?![\w=])|\Z|(?=[\"']|\\+[nr]|\s*-{4,5} ?END))"
_MATERIAL = re.compile(r"(?:[A-Za-z0-9+/=]{16,}|\\+[nrt]|[\s>|+*\"',.\\\-]|" + _HEADER + "|" + _LAST + ")*")
_PIECE = re.compile(r"[A-Za-z0-9+/]{16}")
# What it is not made of, when looked at from its end.
_FOREIGN = re.compile(r"[^A-Za-z0-9+/=\s\\>|,\"'.\-]|(?<![A-Za-z0-9+/=\\])[A-Za-z,.]{1,15}(?![A-Za-z0-9+/=])")
_LONGEST = 40000


def find(text: str) -> list[tuple[int, int]]:
    """Where in `text` private key blocks begin and end, their first and last lines included."""
    spans, done = [], 0
    marks = list(_MARK.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        if mark.start() >= done:
            begin, end = _block(text, mark, following, done)
            if end > begin:
                spans.append((begin, end))
            done = max(end, mark.end())
    return spans


def _block(text, mark, following, done):
    """The span of the key at a mark, an empty one where there is none. The mark before it ends at `done`."""
    if mark.group(1) == "END":
        begin = _material_before(text, max(done, mark.start() - _LONGEST), mark.start())
        return begin, mark.end() if _PIECE.search(text, begin, mark.start()) else begin
    limit = len(text) if following is None else following.start()
    is_closed = following is not None and following.group(1) == "END" and limit - mark.end() < _LONGEST
    if is_closed and _PIECE.search(text, mark.end(), limit):
        return mark.start(), following.end()
    end = _MATERIAL.match(text, mark.end(), limit).end()
    if not _PIECE.search(text, mark.end(), end):
        return mark.start(), mark.start()
    return (mark.end() if mark.group(2) else mark.start()), _trimmed(text, end)


def _material_before(text, start, end):
    last = start
    for foreign in _FOREIGN.finditer(text, start, end):
        last = foreign.end()
    return last


def _trimmed(text, end):
    """Leaves white space and quoting marks after a cut-off key as they are."""
    while text[end - 1] in " \t\r\n>|\"',.-*":
        end -= 1
    return end
