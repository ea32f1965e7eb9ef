"""Text that may be written or sent: secrets redacted, and no longer than it needs to be."""

from __future__ import annotations

_MARGIN = 4_096  # longer than a private key: what is cut off is cut after redaction, so no half secret remains
_GAP = "\n[...]\n"
_BREAKS = dict.fromkeys([*range(0x20), 0x7f, 0x85, 0x2028, 0x2029], " ")


def one_line(text: str) -> str:
    """Text without line breaks and control characters."""
    return text.translate(_BREAKS).strip()


def excerpt(text: str, limit: int) -> str:
    """At most about `limit` characters of the text: a quarter from its beginning and, above all, its end."""
    from memsift import redact  # not at the top: most tool hooks end without it
    head = limit // 4
    tail = limit - head
    if len(text) <= limit + 2 * _MARGIN:
        clean = redact.redact(text)
        return clean if len(clean) <= limit else clean[:head] + _GAP + clean[-tail:]
    return redact.redact(text[:head + _MARGIN])[:head] + _GAP + redact.redact(text[-tail - _MARGIN:])[-tail:]


def ending(text: str, limit: int) -> str:
    """The last `limit` characters of the text."""
    from memsift import redact  # as above
    return redact.redact(text[-limit - _MARGIN:])[-limit:]
