"""Tells a secret value from a reference, a placeholder, a piece of code and an ordinary word."""

from __future__ import annotations

import functools
import re

from memsift.redact import MARKER
from memsift.secrets.kinds import CHOSEN
from memsift.secrets.kinds import ENVIRONMENT
from memsift.secrets.kinds import LOOSE
from memsift.secrets.kinds import PASSWORD
from memsift.secrets.kinds import PROSE
from memsift.secrets.kinds import QUOTED
from memsift.secrets.kinds import RANDOM
from memsift.secrets.kinds import SPACED
from memsift.secrets.kinds import STRONG
from memsift.secrets.kinds import TIGHT
from memsift.secrets.words import ENDINGS
from memsift.secrets.words import NAMING
from memsift.secrets.words import ORDINARY
from memsift.secrets.words import PLACEHOLDERS
from memsift.secrets.words import TYPES

# Enough of a value to judge it by, and what may stand around it.
_SEEN = 200
_AROUND = "\"'`,;.()"

_REFERENCE = (
    r"(?:\$\{.*|\$\(.*|\{\{.*|\$[A-Za-z_]+|\$[A-Z_][A-Z0-9_]*|\$env:\w+|%[A-Za-z_]\w*%|%\(\w+\)s|%[sdr]|"
    r"[#@]?\{[^{}]*\}|(?:%s|\{\w*\}|[:@/. ])+|<[^<>]*>?|[:@?&!][a-zA-Z_.]*|!\w.*|@[A-Za-z_.]+@|"
    r"\[[A-Za-z _\-]*\]?|ENC\[.*|op://.*|arn:.*|https?://.*|\w+://[^@]*|"
    r"(?:vault|ref\+\w+|env|ssm|file|secretsmanager|awssm|gcpsm|keyring|bao):[A-Za-z/].*|"
    r"(?:process|os|import|self|this|settings|config|secrets?|vars?|env|data|local|steps|inputs|context|"
    r"request|req|args|options|props|params|Deno)\..*|ENV\[.*)[\])},;.]*"
)
_MASK = r"[*•xX.…#_\-?]+|.{0,12}(?:\*{3}|\.{3}|…).{0,8}"
# Ports, versions, dates, sizes and durations.
_AMOUNT = (
    r"[A-Za-z][\w.\-]*:\d{2,5}|[~^<>=v]{0,2}\d+(?:\.(?:\d+|x|\*))+[\w.+\-]{0,20}|\d{5}|\d{4}-\d\d-\d\d.*|"
    r"\d{1,4}(?:\.\d+)?[ \-]?(?:[A-Za-z%]{0,3}|bits?|bytes?|chars?|characters|days|hours|minutes|seconds)"
)
_PATH = (
    r"(?:~|\.{1,2}|[A-Za-z]:|\$\w+)?(?:[/\\][\w.@\-]+){2,}[/\\]?|(?:~|\.{1,2}|[A-Za-z]:)[/\\][\w.@\-]+|"
    r"[\w./@\-]+\.(?:pem|key|crt|cer|pub|json|ya?ml|toml|txt|env|ini|py|ts|js|rb|go|rs|sh|md|p12|jks|pfx)"
)
_FOLDERS = r"[\w.\-]+(?:/[\w.\-]+){2,}"
_CODE = (
    r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[(\[{].*|[\w$]+(?:::|->|\?\.)\w.*|"
    r"[A-Za-z_$]+(?:\.[A-Za-z_$]+)+[;,)]*|[({\[].*"
)
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"

_LETTERS = r"[^\W\d_]+(?:['’\-][^\W\d_]+)*"
_NAMES = r"[^\W\d_]+(?:['’\-_.:/][^\W\d_]+)*"
_PIECES = r"[A-Za-z0-9]+"
# A piece that is a word, a number, a word with a number, a version or a time.
_WORDY = (
    r"[A-Z]?[a-z]*\d{0,4}|[A-Z]+\d{0,4}|\d{1,4}[a-z]{1,3}|\d+|(?:[A-Z][a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|"
    r"v\d+[a-z]*\d*|[0-9T]+Z?"
)
_CAMEL = r"[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}"
_SPELLED = r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+"
_SYMBOLS = frozenset("!@#$%^&*+~?|")


# Each pattern is compiled when it is first needed; this is quicker than the cache of the module itself.
_compiled = functools.lru_cache(maxsize=None)(re.compile)


def _is_whole(pattern, value):
    return _compiled(pattern, re.DOTALL).fullmatch(value) is not None


@functools.lru_cache(maxsize=1024)
def is_secret(value: str, kind: str, tie: str) -> bool:
    """Whether `value`, tied to a name that promises `kind`, must not be shown."""
    value = value[:_SEEN].strip()
    if is_harmless(value, kind):
        return False
    if value.startswith(MARKER):
        return True
    if tie is not QUOTED and _is_code(value, tie):
        return False
    if kind is RANDOM or kind is STRONG and tie is PROSE:
        return looks_random(value)
    if kind is CHOSEN or tie is PROSE:
        return looks_chosen(value)
    if kind is PASSWORD:
        return tie in (QUOTED, ENVIRONMENT) or not _is_ordinary(value)
    return _is_strong(value, tie)


def is_harmless(value: str, kind: str = PASSWORD) -> bool:
    """Nothing to hide: empty, standing for something else, an amount, a placeholder, a sentence."""
    value = value[:_SEEN]
    if value.isalnum() and len(value) > 9 and not value.isalpha() and not value.isdigit():
        return False  # most secrets, and nothing of what is below
    if is_empty(value, kind) or _is_placeholder(value) or _is_sentence(value):
        return True
    return kind is not PASSWORD and _is_whole(_AMOUNT, value.strip(_AROUND))


def is_empty(value: str, kind: str = PASSWORD) -> bool:
    """Nothing there: empty, redacted, a type or literal, a mask, a reference to or the path of something."""
    value = value[:_SEEN]
    bare = value.strip(_AROUND)
    if not bare or value.startswith(MARKER) and not value[len(MARKER):].strip(".,;:!?)]}>\"'\\"):
        return True
    if bare.lower() in TYPES or not bare.strip("xX"):
        return True
    return not bare.isalnum() and _stands_for_another(bare, value, kind)


def _stands_for_another(bare, value, kind):
    if _is_whole(_MASK, bare) or _is_whole(_REFERENCE, value):
        return True
    is_path = _is_whole(_PATH, bare) or kind is not PASSWORD and _is_whole(_FOLDERS, bare)
    return is_path and not looks_random(bare)


def looks_chosen(value: str) -> bool:
    """Whether somebody may have chosen it as a password: "hunter2", "Sw0rdfish", not "hashed" nor "v2.1"."""
    value = value.strip("*").rstrip(".,;:")
    if len(value) < 5 or " " in value or _is_whole(_AMOUNT, value):
        return False
    if not value.isalnum() and _is_whole(_PATH, value):
        return False
    if any(map(str.isdigit, value)) and not value.isdigit():
        return not any(piece in TYPES for piece in _compiled(_PIECES).findall(value.lower()) if not piece.isalpha())
    if not _SYMBOLS.isdisjoint(value) or value.count("-") > 2 or len(value) > 23:
        return True
    letters = value.replace("-", "").replace("_", "")
    return letters.isalpha() and not (letters.islower() or letters.istitle() or letters.isupper()
                                      or _is_whole(_CAMEL, letters))


def looks_random(value: str) -> bool:
    """Whether a machine made it: eight characters or more in pieces that look like no word or number."""
    value = value.rstrip("=.,;:")
    if len(value) < 12 or " " in value or _is_whole(_UUID, value) or "://" in value:
        return False
    pieces = _compiled(_PIECES).findall(value)
    odd = [piece for piece in pieces if not _is_whole(_WORDY, piece) and not _is_spelled(piece)]
    return sum(map(len, odd)) >= 8 or len(value) > 31 and any(len(piece) > 31 for piece in pieces)


def _is_spelled(piece):
    """Letters that make words, as in "getOpenSSLVersion"."""
    return piece.isalpha() and len(_compiled(_SPELLED).findall(piece)) * 3 < len(piece)


def _is_strong(value, tie):
    """A machine's secret, written in a configuration or in code."""
    if len(value) < 4 or " " in value and not any(map(looks_random, value.split())):
        return False
    if _is_whole(_NAMES, value) and tie is not ENVIRONMENT:
        return value.isalpha() and (len(value) > 15 and not _is_whole(_CAMEL, value) or looks_chosen(value))
    return tie not in (LOOSE, SPACED) or looks_chosen(value) or value.isdigit()


def _is_code(value, tie):
    """An unquoted value that is an expression: a call, an attribute, a variable named like what it holds."""
    if tie is ENVIRONMENT:
        return value[-1:] == "(" or value[-1:] == "["
    if not value.isalnum() and _is_whole(_CODE, value):
        return True
    name = value.rstrip(";,)")
    if not name.replace("_", "").isalpha():
        return tie is not TIGHT and "=" in name[1:-2] and name.split("=")[0].replace("_", "").isalpha()
    spelled = _compiled(_SPELLED).findall(name)
    return bool(spelled) and (spelled[-1].lower() in NAMING or tie is SPACED and "_" in name)


def _is_ordinary(value):
    """A word that may follow "password:" in a sentence; digits or symbols make it none."""
    word = value.rstrip(".,;:!?)").lower()
    if word.isdigit():
        return len(word) < 3
    return _is_whole(_LETTERS, word) and (word in ORDINARY or word.endswith(ENDINGS))


def _is_sentence(value):
    """At least three words, a third of them such as sentences have: "The password for the second account"."""
    words = value.lower().split()
    if len(words) < 3 or any(map(str.isdigit, value)):
        return False
    return sum(word in ORDINARY or word in PLACEHOLDERS for word in words) * 3 >= len(words)


def _is_placeholder(value):
    """Made of words that only stand for a secret: "your-api-key", "Enter your password"."""
    if any(map(str.isdigit, value)):
        return False
    words = _compiled(_SPELLED).findall(value)
    return bool(words) and all(word.lower() in PLACEHOLDERS for word in words)
