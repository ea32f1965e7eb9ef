"""Replaces secret values by a fixed marker, before anything is sent or written.

A text is looked through for signs first; the patterns that find and judge secrets are loaded and compiled only for a
text that has some. Every step takes time in proportion to the text's length, whatever the text.
"""

from __future__ import annotations

from memsift import secret_blocks
from memsift import secret_places
from memsift import secret_shapes

MARKER = "[redacted]"

# Parts of the words that give a name away; the whole ones are in secret_pairs.
_NAMED = (
    "pass", "pwd", "psw", "pw", "mdp", "key", "kennwort", "token", "secret", "senha", "salt", "sig", "sessionid", "sessid",
    "connect.sid", "schl", "jeton", "jwt", "auth", "contrase", "clé", "clef", "clave", "cle ", "cred", "bearer", "wachtwoord",
    "geheimnis", "lösenord", "hasło", "пароль", "密码", "密碼", "パスワード",
)
# A name without any of these within reach is tied to nothing.
_TIES = frozenset("=:|\"'`“«0123456789!@#$%^&*\n>→–")
_REACH = 200
_OPTION = 40
_FEW = 64
_DEEPEST = 200
_ROUNDS = 6


def redact(text: str) -> str:
    """`text` with every secret value in it replaced by MARKER. Applying it again changes nothing."""
    for _ in range(_ROUNDS):
        before = text
        text = _once(text)
        if text == before:
            break
    return text


def _once(text):
    low = _lower(text)
    spans = secret_shapes.find(text) + secret_blocks.find(text) + secret_places.find(text, low)
    if _may_name(low):
        from memsift import secret_pairs  # compiles the largest pattern, so only for a text that may need it
        spans += secret_pairs.find(text, low)
    return _without(text, spans) if spans else text


def _without(text, spans):
    """`text` with each span, or each run of spans that overlap, replaced by MARKER."""
    pieces, done, covered = [], 0, -1
    for begin, end in sorted(spans):
        if begin > covered:
            pieces += text[done:begin], MARKER
        covered = done = max(end, covered)
    return "".join(pieces) + text[done:]


def _lower(text: str) -> str:
    """`text` in lower case, character by character: the only one that would become two is mapped first."""
    return text.replace("\u0130", "i").lower()


def _may_name(low: str) -> bool:
    """Whether a word that gives a name away stands near something that could tie a value to it."""
    for word in _NAMED:
        at = low.find(word)
        for _ in range(_FEW):
            if at < 0:
                break
            if _may_be_tied(low, at):
                return True
            at = low.find(word, at + 1)
        if at >= 0:
            return True
    return False


def _may_be_tied(low, at):
    after = low[at:at + _REACH]
    return not _TIES.isdisjoint(after) or " is " in after or " was " in after or "-" in low[max(0, at - _OPTION):at]


def redact_value(value):
    """A JSON value with every secret in its texts redacted, keys included, at any depth.

    The text under a key that promises a secret is judged by that key. Works on values, never on serialized JSON.
    """
    return _redact_value(value, "", 0)


def _redact_value(value, name, depth):
    if isinstance(value, str):
        return _redact_under(name, value)
    if depth > _DEEPEST:
        return MARKER
    if isinstance(value, dict):
        return _redact_dict(value, depth)
    if isinstance(value, (list, tuple)):
        return [_redact_value(item, name, depth + 1) for item in value]
    return value


def _redact_dict(value, depth):
    redacted = {}
    given = value.get("name") or value.get("key") or ""
    for key, item in value.items():
        name = given if key == "value" and isinstance(given, str) else key
        key = redact(key) if isinstance(key, str) else key
        while key in redacted:
            key = str(key) + "_"  # two keys that were both secret stay two
        redacted[key] = _redact_value(item, name, depth + 1)
    return redacted


def _redact_under(name, value):
    if isinstance(name, str) and name and len(name) <= 80 and _may_name(_lower(name) + "="):
        from memsift import secret_pairs  # as above
        if secret_pairs.is_secret_under(name, value):
            return MARKER
    return redact(value)
