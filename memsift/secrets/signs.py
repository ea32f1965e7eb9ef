"""A cheap look at a text for anything that the larger patterns could find in it; most texts have nothing."""

from __future__ import annotations

# Parts of the words that give a name away; pairs has the whole ones.
_NAMED = (
    "pass", "pwd", "psw", "pw", "mdp", "key", "kennwort", "token", "secret", "senha", "salt", "sig",
    "sessionid", "sessid", "connect.sid", "schl", "jeton", "jwt", "auth", "contrase", "clé", "clef", "clave",
    "cle ", "cred", "bearer", "cookie", "psk", "parola", "wachtwoord", "geheimnis", "lösenord", "hasło",
    "пароль", "密码", "密碼", "パスワード",
)
# What may follow such a word within its name, and then in what a name is wrapped.
_NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-"
_WRAPPED = _NAME + "\\\"'`[])*?"
# What ties a value to a name right away; in the next word; as the next word; and at some distance after it.
_TIES = frozenset(":=>|%")
_QUOTES = ("\"", "'", "`", "\\")
_LIKE_VALUES = frozenset("0123456789:=|\"'`“«!@#$%^&*→>–")
_IS = frozenset("is was est ist lautet war es é è c'est c’est changed now or - (".split())
_FOR = frozenset(
    "for of on to at from in de du des für fuer von vom zum zur der para del do da per voor".split())
_FAR_TIES = (":", "=", "→", "->", " - ", " – ", " is ", " was ", " now ", "changed to", " est ", "c'est",
             "c’est", " ist ", " war ", "lautet", " es ", " é ", " è ")
_REACH = 200
# Beyond so many such words the patterns are cheaper than looking at each.
_FEW = 64


def lower(text: str) -> str:
    """`text` in lower case, of the same length: the only letter that would become two is mapped first."""
    return text.replace("\u0130", "i").lower()


def has_block(text: str) -> bool:
    """Whether a private key block may be in the text."""
    return "PRIVATE KEY" in text or "Private-Lines" in text


def may_name(low: str) -> bool:
    """Whether a word that gives a name away is followed by something that could tie a value to it."""
    return any(_occurs_tied(low, word) for word in _NAMED)


def _occurs_tied(low, word):
    at = low.find(word)
    for _ in range(_FEW):
        if at < 0 or _is_tied(low, at, at + len(word)):
            return at >= 0
        at = low.find(word, at + 1)
    return at >= 0


def _is_tied(low, begin, end):
    after = low[end:end + _REACH].lstrip(_WRAPPED)
    first = after[:1]
    if first in _TIES or not first.isascii() or _is_option(low[max(0, begin - _REACH):begin]):
        return True
    if "value" in after[:60] or "default" in after[:60]:
        return True
    if low.startswith("cl", begin) and not _LIKE_VALUES.isdisjoint(after):
        return True  # "clé secrète": another word belongs to the name
    if first in (",", "(") and after[1:].lstrip()[:1] in _QUOTES:
        return True
    return (first == "(" or first.isspace()) and _is_tied_by(after)


def _is_tied_by(after):
    """Whether the words that follow a name can tie a value to it."""
    word = after.split(None, 1)[0] if after.strip() else ""
    if not _LIKE_VALUES.isdisjoint(word) or word in _IS:
        return True
    is_far = word in _FOR or word[:1] == "(" or word[1:2] in ("'", "’")
    return is_far and any(tie in after for tie in _FAR_TIES)


def _is_option(before):
    """Whether the name began with a dash ("--api-key value")."""
    return before[len(before.rstrip(_NAME)):][:1] == "-"
