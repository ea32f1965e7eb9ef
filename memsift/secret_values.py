"""Tells a secret value from a reference, a placeholder, a piece of code and an ordinary word."""

from __future__ import annotations

import functools
import re

from memsift.redact import MARKER
from memsift.secret_names import CHOSEN
from memsift.secret_names import PASSWORD
from memsift.secret_names import RANDOM
from memsift.secret_names import STRONG

# How a value is tied to its name: in quotes, NAME=value of an environment, name=value or an option, "name: value" or
# "name = value" without quotes, and in a sentence.
QUOTED, ENVIRONMENT, TIGHT, LOOSE, PROSE = "quoted", "environment", "tight", "loose", "prose"

# Enough of a value to judge it by.
_SEEN = 200

_REFERENCE = re.compile(
    r"(?:\$\{.*|\$\(.*|\{\{.*|\$[A-Za-z_]+|\$[A-Z_][A-Z0-9_]*|\$env:\w+|%[A-Za-z_]\w*%|%\(\w+\)s|%[sdr]|"
    r"[#@]?\{[^{}]*\}|<[^<>]*>?|[:@?&!][a-zA-Z_.]*|!\w.*|@[A-Za-z_.]+@|\[[A-Za-z _\-]*\]?|ENC\[.*|op://.*|arn:.*|"
    r"(?:vault|ref\+\w+|env|ssm|file|secretsmanager|awssm|gcpsm|keyring|bao):[A-Za-z/].*|https?://.*|\w+://[^@]*|"
    r"(?:process\.|os\.|import\.|self\.|this\.|settings\.|config\.|secrets?\.|vars?\.|env\.|ENV\[|data\.|local\.|"
    r"steps\.|inputs\.|context\.|request\.|req\.|args\.|options\.|props\.|params\.|Deno\.env).*)[\])},;.]*",
    re.DOTALL)
_MASK = re.compile(r"[*•xX.…#_\-?]+|.{0,12}(?:\*{3}|\.{3}|…).{0,8}", re.DOTALL)
_AMOUNT = re.compile(r"[~^<>=v]{0,2}\d+(?:\.(?:\d+|x|\*))+[\w.+\-]{0,20}|\d{5}|\d{4}-\d\d-\d\d.*|"
                     r"\d{1,4}(?:\.\d+)?[ \-]?(?:[A-Za-z%]{0,3}|bits?|bytes?|chars?|characters|days|hours|minutes|seconds)",
                     re.DOTALL)
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:|\$\w+)?(?:[/\\][\w.@\-]+){2,}[/\\]?|(?:~|\.{1,2}|[A-Za-z]:)[/\\][\w.@\-]+|"
                   r"[\w./@\-]+\.(?:pem|key|crt|cer|pub|json|ya?ml|toml|txt|env|ini|py|ts|js|rb|go|rs|sh|md|p12|jks|pfx)")
_CODE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[(\[{].*|[\w$]+(?:::|->|\?\.)\w.*|"
                   r"[A-Za-z_$]+(?:\.[A-Za-z_$]+)+[;,)]*|[({\[].*", re.DOTALL)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_WORDY = re.compile(r"[A-Z]?[a-z]*\d{0,4}|[A-Z]+\d{0,4}|\d{1,4}[a-z]{1,3}|\d+|(?:[A-Z][a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|"
                    r"v\d+[a-z]*\d*|[0-9T]+Z?")
_PIECES = re.compile(r"[A-Za-z0-9]+")
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}")
_SPELLED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SYMBOLS = frozenset("!@#$%^&*+~?|")

_TYPES = frozenset(
    "none null nil true false undefined void nan str string int integer number bool boolean bytes buffer any object text "
    "char varchar uuid optional required secret token yes no on off n/a na tbd todo empty missing unset default auto "
    "disabled enabled hidden masked encrypted hashed plaintext env vault keychain keyring stdin prompt oauth oauth2 "
    "basic bearer digest jwt sso saml ldap md5 sha1 sha256 sha512 bcrypt argon2 argon2id argon2i scrypt pbkdf2 base64 "
    "utf8 utf-8 hs256 rs256 es256 aes aes256 totp 2fa mfa include same-origin omit inherit native public private "
    "internal external current-password new-password one-time-code password passwd secretstr redacted".split())
_PLACEHOLDERS = frozenset(
    "your my the a an some this api app new old current access auth refresh bearer client server account service user "
    "private public insert replace put enter paste type choose change with here value placeholder hidden masked "
    "redacted secret token key keys password passwd pwd passphrase passwort kennwort credential credentials "
    "confirm confirmation forgot reset wrong invalid show hide name id field input mot de passe contraseña".split())
_NAMING = ("password", "passwd", "pwd", "pass", "secret", "token", "key", "credentials", "credential", "auth", "passwort", "pw")
# What may follow "password:" or "the password is" without being one.
_ORDINARY = frozenset(
    "the a an must should can cannot may is are was were will has have had be not never always only please see and or of "
    "to for from in on at by with without if when via per it its this that these those too also still now then again "
    "wrong right correct incorrect invalid valid mandatory shared stored kept rotated rotating expired expires unknown "
    "known weak strong short long same different safe unsafe secure insecure plain clear sent set used unused gone lost "
    "forgotten random generated generator manager rotation reset field fields length policy change changes check checks "
    "minimum maximum sensitive necessary needed there here mine yours ours theirs case-sensitive read-only write-only "
    "le la les un une des du de est sont pas plus jamais doit faut obligatoire incorrect oublié valide vide partagé "
    "der die das ein eine ist sind nicht nie muss soll falsch richtig leer abgelaufen ungültig vergessen geheim egal "
    "el los las una es son no nunca debe incorrecta válida vacía obligatoria y ou und oder con mit avec".split())
_ENDINGS = ("ed", "ing", "able", "ible", "ly", "ful", "less", "ous", "ive", "tion", "ment", "ness", "ity", "ary", "ory")


@functools.lru_cache(maxsize=1024)
def is_secret(value: str, kind: str, tie: str) -> bool:
    """Whether `value`, tied to a name that promises `kind`, must not be shown."""
    value = value[:_SEEN].strip()
    if is_harmless(value, kind):
        return False
    if value.startswith(MARKER):
        return True
    if tie != QUOTED and _is_code(value, tie):
        return False
    if kind is RANDOM or kind is STRONG and tie is PROSE:
        return looks_random(value)
    if kind is CHOSEN or tie is PROSE:
        return looks_chosen(value)
    if kind is PASSWORD:
        return tie is not LOOSE or not _is_ordinary(value)
    return _is_strong(value, tie)


def is_harmless(value: str, kind: str = PASSWORD) -> bool:
    """Nothing to hide: empty, a reference, a mask, a type, a path, a placeholder."""
    bare = value.strip("\"'`,;.()")
    if not bare or value.startswith(MARKER) and not value[len(MARKER):].strip(".,;:!?)]}>\"'\\"):
        return True
    if bare.lower() in _TYPES or _MASK.fullmatch(bare) or _REFERENCE.fullmatch(value):
        return True
    if _PATH.fullmatch(bare) and not looks_random(bare) or kind is not PASSWORD and _AMOUNT.fullmatch(bare):
        return True
    return _is_placeholder(value)


def looks_chosen(value: str) -> bool:
    """Whether somebody may have chosen it as a password: "hunter2" and "S3ktf1asche", not "hashed" nor "v2.1"."""
    value = value.rstrip(".,;:")
    if len(value) < 5 or _AMOUNT.fullmatch(value) or _PATH.fullmatch(value) or " " in value:
        return False
    digits = any(map(str.isdigit, value))
    if digits and not value.isdigit():
        return not any(piece in _TYPES for piece in _PIECES.findall(value.lower()) if not piece.isalpha())
    if not _SYMBOLS.isdisjoint(value) or value.count("-") > 2 or len(value) > 23:
        return True
    letters = value.replace("-", "").replace("_", "")
    return not digits and letters.isalpha() and not (letters.islower() or letters.istitle() or letters.isupper()
                                                     or _CAMEL.fullmatch(letters))


def looks_random(value: str) -> bool:
    """Whether a machine made it: at least eight characters in pieces that no word, number or version looks like."""
    value = value.rstrip("=.,;:")
    if len(value) < 12 or " " in value or _UUID.fullmatch(value) or "://" in value:
        return False
    pieces = _PIECES.findall(value)
    odd = [piece for piece in pieces if not _WORDY.fullmatch(piece)]
    return sum(map(len, odd)) >= 8 or len(value) > 31 and any(len(piece) > 31 for piece in pieces)


def _is_strong(value: str, tie: str) -> bool:
    """A machine's secret, written in a configuration or in code."""
    if len(value) < 4 or " " in value and not looks_random(value.replace(" ", "")):
        return False
    if _LETTERS.fullmatch(value) and tie is not ENVIRONMENT:
        return len(value) > 15 and not _CAMEL.fullmatch(value) and "-" not in value
    return tie is not LOOSE or looks_chosen(value) or value.isdigit()


def _is_code(value: str, tie: str) -> bool:
    """An unquoted value that is an expression: a call, an attribute, a variable named like what it holds."""
    if tie is ENVIRONMENT:
        return value[-1:] == "(" or value[-1:] == "["
    if _CODE.fullmatch(value):
        return True
    name = value.rstrip(";,)")
    if not name.replace("_", "").isalpha():
        return tie is LOOSE and "=" in name[1:-2] and name.split("=")[0].replace("_", "").isalpha()
    spelled = _SPELLED.findall(name)
    return bool(spelled) and spelled[-1].lower() in _NAMING


def _is_ordinary(value: str) -> bool:
    """A word that may follow "password:" in a sentence; digits or symbols make it none."""
    word = value.rstrip(".,;:!?)").lower()
    if word.isdigit():
        return len(word) < 3
    return bool(_LETTERS.fullmatch(word)) and (word in _ORDINARY or word.endswith(_ENDINGS))


def _is_placeholder(value: str) -> bool:
    """Made of words that only stand for a secret: "your-api-key", "Enter your password"."""
    if any(map(str.isdigit, value)):
        return False
    words = re.findall(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+", value)
    return bool(words) and all(word.lower() in _PLACEHOLDERS for word in words)
