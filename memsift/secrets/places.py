"""Secrets that show by where they stand: in an address, a login, a cookie, a command line, a list of bytes.

A row: what must occur in the text, the words that a place begins with, a pattern for what follows whose one
group is the secret, and how far the place alone is proof. Rows of places are searched for in lower case.
"""

from __future__ import annotations

import functools
import re

# The place is proof unless the value is a reference; or the value must look chosen, or random, as well; or it
# is a list of key bytes, a list of values, or a phrase.
SURE, CHOSEN, RANDOM, BYTES, LISTED, PHRASE = "sure", "chosen", "random", "bytes", "listed", "phrase"

_SECRET = r"[\"']?([^\s\"'|;&]{3,256})"
_USER = r"\\?/\\?/[^\s/:@\"'`<>?#]{0,128}:(?!\[redacted\]@)"
_HOST = r"@(?=[\w\[({$.%\-/])"
_ARGUMENTS = r"\b[^\n|;&]{0,160}? "

_PLACES = (
    ("@", (":",), _USER + r"((?:[^\s/@\"'`<>]+@)*[^\s/@\"'`<>]+)" + _HOST, SURE),
    ("@", (":",), _USER + r"(?!\d{1,5}[/?#])([^\s/@\"'`<>]{0,128}/[^\s@\"'`<>]{0,256})" + _HOST, SURE),
    ("@", (":",), r"\\?/\\?/([\w\-.~%]{16,256})@", RANDOM),
    ("@tcp(", (":",), r"([^\s@\"'`:]{1,128})@tcp\(", SURE),
    ("@unix(", (":",), r"([^\s@\"'`:]{1,128})@unix\(", SURE),
    ("%40", ("%3a%2f%2f",), r"[^%\s]{0,64}%3a((?:(?!%40)[^\s\"'&]){1,256})%40", SURE),
    ("@", (":thin:",), r"[\w.\-]{1,64}/([^\s@\"'`/]{1,128})@", SURE),
    ("", (":5432:", ":3306:", ":*:"), r"[\w*\-]{1,64}:[\w*\-]{1,64}:([^\s\"':]{3,128})(?=\s|$)", SURE),
    ("", ("cred", "credential", "login", "zugangsdaten", "identifiants", "credenciales", "user/pass",
          "user/pw", "user/password", "username/password"),
     r"s?(?![a-z])[^\n:=(]{0,40}?(?:[:=]| are | is )[ \t]{0,3}[\"'`]?[\w.@+\-]{1,64}[ \t]?[/:|](?!/)[ \t]?"
     r"([^\s\"'`,;]{4,128})", CHOSEN),
    ("", ("basic auth",), r"[ \t:]{1,3}[\w.@+\-]{1,64}:" + _SECRET, CHOSEN),
    ("(", ("auth",), r"\s{0,2}=?\s{0,2}\(\s{0,4}[\"'][^\"'\n]{0,64}[\"']\s{0,2},\s{0,4}[\"']"
     r"([^\"'\n]{3,256})[\"']", CHOSEN),
    ("password", ("login",), r"[ \t]+\S{1,64}\s{1,40}password[ \t]+" + _SECRET, SURE),
    ("", ("identified",), r"\s{1,8}(?:with\s{1,8}\w{1,40}\s{1,8})?by\s{1,8}(?:password\s{1,8})?['\"]"
     r"([^\s'\"]{3,256})", SURE),
    ("=", ("cookie",), r"(?<![a-z]cookie)[\"'\\]{0,4}[ \t]?[:=][ \t]?[\"'\\]{0,4}"
     r"(?!samesite|path=|domain=|max-age|expires)(?=[\w.\-]{1,64}=[^\s;=])"
     r"((?:[^\r\n\"'\\]+|(?<==)\\?\"[^\"'\r\n\\]{0,4096}\\?\")+)", SURE),
    ("[", ("api_keys", "apikeys", "api-keys", "access_keys", "tokens", "secrets", "passwords"),
     r"[\"']?\s{0,2}[:=]\s{0,2}\[([^\]]{12,4000})\]", LISTED),
    ("", ("mnemonic", "seed phrase", "recovery phrase", "passphrase"),
     r"[\"']?\s{0,2}(?::|=| is)\s{0,3}[\"']?([a-z]{3,12}(?:[ ,]{1,2}[a-z]{3,12}){3,23})(?=[\"'.,;\s]|$)",
     PHRASE),
    ("\"kty\"", ("\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""),
     r"\s{0,4}:\s{0,4}\"([\w\-]{16,})\"", SURE),
    ("key", ("0x",), r"([0-9a-f]{1,2}(?:\s{0,8},\s{0,8}0x[0-9a-f]{1,2}){15,})", BYTES),
)
_COMMANDS = (
    (" -", ("curl", "wget", "http", "https", "xh", "restic"),
     _ARGUMENTS + r"(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]?[\"']?[^\s:\"'$]{1,64}:" + _SECRET, CHOSEN),
    (" -", ("curl",), _ARGUMENTS + r"(?:-b|--cookie)[ =]?[\"']?[\w.\-]{1,64}=([^\s\"']{6,4096})", SURE),
    (" -p", ("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mycli", "7z", "7za"),
     _ARGUMENTS + r"-p" + _SECRET, SURE),
    (" -p", ("sshpass", "docker login", "podman login", "helm registry login", "az login", "oc login",
             "mongo", "mongosh", "mongodump", "mongorestore", "influx"),
     _ARGUMENTS + r"-p[ \t]?" + _SECRET, SURE),
    (" -a", ("redis-cli",), _ARGUMENTS + r"-a[ \t]?" + _SECRET, SURE),
    (" -P", ("sqlcmd", "unzip", "zip"), _ARGUMENTS + r"-P[ \t]?" + _SECRET, SURE),
    (" -w", ("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"), _ARGUMENTS + r"-w[ \t]?" + _SECRET, SURE),
    (" -U", ("smbclient",), _ARGUMENTS + r"-U[ \t]?[\"']?[\w\\.\-]{1,64}%" + _SECRET, SURE),
    (" /p:", ("rdp",), _ARGUMENTS + r"/p:" + _SECRET, SURE),
    (" -", ("htpasswd",),
     r"[ \t]+(?:-\w+[ \t]+){1,4}[^\s|;&]{1,128}[ \t]+[\w.@\-]{1,64}[ \t]+" + _SECRET, SURE),
    ("", ("rabbitmqctl",), r"[ \t]+(?:add_user|change_password)[ \t]+[\w.\-]{1,64}[ \t]+" + _SECRET, SURE),
    ("", (" pass:",), _SECRET, CHOSEN),
    ("", ("Bearer ", "bearer "), r"([\w.~+/=\-]{6,8192})", CHOSEN),
    ("", ("Basic ", "basic "), r"((?:[A-Za-z0-9+/]{4}){2,2048}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)|"
     r"(?=[A-Za-z+/]{0,40}\d)[A-Za-z0-9+/]{16,8192})(?![\w+/=])", SURE),
    ("", ("aws configure set", "npm config set", "setx"),
     r"[ \t]+\S{0,80}(?i:key|token|secret|password|_auth)[ \t]+" + _SECRET, SURE),
    ("|", ("echo", "printf"), r"[ \t]+(?:-\w[ \t]+|'%s'[ \t]+)?(?:[\"']?[\w.\-]{1,64}:)?" + _SECRET
     + r"[\"']?[ \t]*\|[^\n|]{0,100}(?:-stdin|sudo -S|--with-token|chpasswd)", SURE),
)

# The secret may also be the word before: "use hunter2 as the password".
_NAMES_AFTER = ("password", "passphrase", "passwort", "mot de passe", "contraseña", "api key", "token")
_NAMED_AFTER = (
    r" (?:as|is|als|ist|comme|est|como|es) (?:the |my |our |your |das |le |la )?"
    r"(?:new |admin |root |api |neues )?(?:" + "|".join(_NAMES_AFTER) + r")\b")
_LAST_WORD = r"(?<![^\s\"'`«“(,])([^\s\"'`«»“”(),]{5,})[\"'`»”]?\Z"
_LONGEST_WORD = 128
_KEY_NEARBY = 400


def find(text: str, low: str) -> list[tuple[int, int]]:
    """Where in `text` the secrets of these places begin and end, in no order. `low`: `text` in lower case."""
    spans = _find(_PLACES, low, text) + _find(_COMMANDS, text, text)
    return spans + _words_before(text, low) if any(name in low for name in _NAMES_AFTER) else spans


def _find(rows, searched, text):
    spans = []
    for sign, words, pattern, proof in rows:
        if sign in searched:
            for word in words:
                if word in searched:
                    spans += [match.span(1) for match in re.finditer(re.escape(word) + pattern, searched)
                              if _is_proof(text, match.span(1), proof)]
    return spans


def _words_before(text, low):
    spans = []
    for match in re.finditer(_NAMED_AFTER, low):
        before = max(0, match.start() - _LONGEST_WORD)
        word = re.search(_LAST_WORD, text[before:match.start()])
        if word and _is_secret(word.group(1), CHOSEN):
            spans.append((before + word.start(1), before + word.end(1)))
    return spans


def _is_proof(text, span, proof):
    if proof is BYTES:
        return "key" in text[max(0, span[0] - _KEY_NEARBY):span[0]].lower()
    if proof is LISTED:
        return any(_is_secret(item, RANDOM) for item in re.findall(r"[^\s\"',]+", text[span[0]:span[1]]))
    return _is_secret(text[span[0]:span[1]], proof)


@functools.lru_cache(maxsize=1024)
def _is_secret(value, proof):
    from memsift.secrets import values  # compiles what few texts need
    if values.is_harmless(value):
        return False
    if proof is PHRASE:
        return values.ORDINARY.isdisjoint(re.findall(r"[a-z]+", value))
    if proof is CHOSEN:
        return values.looks_chosen(value)
    return proof is SURE or values.looks_random(value)
