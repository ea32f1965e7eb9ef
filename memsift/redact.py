"""Replaces secret values by a fixed marker, before anything is sent or written.

A text is first looked through for signs; the larger patterns are loaded and compiled only for a text that has
some. Every step takes time in proportion to the text's length, whatever the text.
"""

from __future__ import annotations

from memsift.secrets import places
from memsift.secrets import shapes
from memsift.secrets import signs

MARKER = "[redacted]"

# What is replaced can bring together what was apart, so a text is gone through until nothing changes.
_ROUNDS = 8
_DEEPEST = 200
_LONGEST_KEY = 80


def redact(text: str) -> str:
    """`text` with every secret value in it replaced by MARKER. Applying it again changes nothing."""
    for _ in range(_ROUNDS):
        before = text
        text = _redacted_once(text)
        if text == before:
            break
    return text


def redact_value(value):
    """A JSON value with every secret in its texts redacted, keys included, at any depth.

    What stands under a key is judged by that key too. Meant for values, never for serialized JSON.
    """
    return _redacted(value, "", 0)


def _redacted_once(text):
    low = signs.lower(text)
    spans = shapes.find(text, MARKER) + places.find(text, low)
    if signs.has_block(text):
        from memsift.secrets import blocks  # this and the next compile patterns that few texts need
        spans += blocks.find(text)
    if signs.may_name(low):
        from memsift.secrets import pairs
        spans += pairs.find(text, low)
    return _without(text, spans) if spans else text


def _without(text, spans):
    """`text` with each span, or each run of spans that touch, replaced by MARKER."""
    pieces, done = [], -1
    for begin, end in sorted(spans):
        if begin > done:
            pieces += text[max(done, 0):begin], MARKER
        done = max(done, end)
    return "".join(pieces) + text[done:]


def _redacted(value, name, depth):
    if isinstance(value, str):
        return MARKER if _is_secret_under(name, value) else redact(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return MARKER if _is_secret_under(name, str(value), is_number=True) else value
    if not isinstance(value, (dict, list, tuple)):
        return value
    if depth > _DEEPEST:
        return MARKER
    if isinstance(value, dict):
        return _redacted_dict(value, depth)
    return [_redacted(item, name, depth + 1) for item in value]


def _redacted_dict(value, depth):
    redacted = {}
    named = value.get("name") or value.get("key")
    for key, item in value.items():
        name = named if key == "value" else key
        key = redact(key) if isinstance(key, str) else key
        while key in redacted:
            key = "%s_" % key  # two keys that were both secret stay two
        redacted[key] = _redacted(item, name, depth + 1)
    return redacted


def _is_secret_under(name, value, is_number=False):
    """Whether the key `name` makes the whole of `value` a secret."""
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_KEY:
        return False
    if not signs.may_name(signs.lower(name) + "="):
        return False
    from memsift.secrets import pairs  # as above
    return pairs.is_secret_under(name, value, is_number)
