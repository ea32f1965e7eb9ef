"""Secrets that show by where they stand: in an address, a login pair, a cookie, a command line, a list of key bytes.

A row: the words the place begins with, a pattern for what follows whose one group is the secret, and how far the place
alone is proof. Words and patterns are in lower case unless the row belongs to a command line.
"""

from __future__ import annotations

import functools
import re

# The place is proof unless the value is a reference; or the value must look chosen, or random, as well.
SURE, CHOSEN, RANDOM, BYTES = "sure", "chosen", "random", "bytes"

_SECRET = r"[\"']?([^\s\"'|;&]{3,256})"
_ARGUMENTS = r"\b[^\n|;&]{0,160}?[ \t]"
_HOST = r"@(?=[\w\[({$.%\-])"
_USER = r"\\?/\\?/[^\s/:@\"'`<>?#]{0,128}:(?!\[redacted\]@)"

_PLACES = (
    ("@", (":",), _USER + r"((?:[^\s/@\"'`<>]+@)*[^\s/@\"'`<>]+)" + _HOST, SURE),
    ("@", (":",), _USER + r"(?!\d{1,5}[/?#])([^\s/@\"'`<>]{0,128}/[^\s@\"'`<>]{0,256})" + _HOST, SURE),
    ("@", (":",), r"\\?/\\?/([\w\-.~%]{16,256})@", RANDOM),
    ("@tcp(", (":",), r"([^\s@\"'`:]{1,128})@tcp\(", SURE),
    ("@unix(", (":",), r"([^\s@\"'`:]{1,128})@unix\(", SURE),
    ("%40", ("%3a%2f%2f",), r"[^%\s]{0,64}%3a((?:(?!%40)[^\s\"'&]){1,256})%40", SURE),
    ("@", (":thin:",), r"[\w.\-]{1,64}/([^\s@\"'`/]{1,128})@", SURE),
    ("", ("cred", "credential", "login", "zugangsdaten", "identifiants", "credenciales", "user/pass", "user/pw",
          "user/password", "username/password"),
     r"s?(?![a-z])[^\n:=]{0,40}[:=][ \t]{0,3}[\"'`]?[\w.@+\-]{1,64}[ \t]?[/:|,][ \t]?([^\s\"'`,;]{4,128})", CHOSEN),
    ("=", ("cookie",), r"[\"'\\]{0,4}[ \t]?[:=][ \t]?[\"'\\]{0,4}(?=[\w.\-]{1,64}=[^\s;=])([^\r\n\"'\\]{3,8192})", SURE),
    ("password", ("login",), r"[ \t]+\S{1,64}\s{1,40}password[ \t]+" + _SECRET, SURE),
    ("\"kty\"", ("\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""), r"\s{0,4}:\s{0,4}\"([\w\-]{16,})\"", SURE),
    ("key", ("0x",), r"([0-9a-f]{1,2}(?:\s{0,8},\s{0,8}0x[0-9a-f]{1,2}){15,})", BYTES),
    ("", ("identified",), r"\s{1,8}(?:with\s{1,8}\w{1,40}\s{1,8})?by\s{1,8}(?:password\s{1,8})?['\"]([^\s'\"]{3,256})", SURE),
    ("", (":5432:", ":3306:", ":*:"), r"[\w*\-]{1,64}:[\w*\-]{1,64}:([^\s\"':]{3,128})(?=\s|$)", SURE),
)
_COMMANDS = (
    ("-", ("curl", "wget", "http", "https", "xh", "restic"),
     _ARGUMENTS + r"(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]?[\"']?[^\s:\"'$]{1,64}:" + _SECRET, CHOSEN),
    ("-", ("curl",), _ARGUMENTS + r"(?:-b|--cookie)[ =]?[\"']?[\w.\-]{1,64}=([^\s\"']{6,4096})", SURE),
    ("-p", ("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mycli", "7z", "7za"), _ARGUMENTS + r"-p" + _SECRET, SURE),
    ("-p", ("sshpass", "docker login", "podman login", "helm registry login", "az login", "oc login", "mongo", "mongosh",
            "mongodump", "mongorestore", "influx"), _ARGUMENTS + r"-p[ \t]?" + _SECRET, SURE),
    ("-a", ("redis-cli",), _ARGUMENTS + r"-a[ \t]?" + _SECRET, SURE),
    ("-P", ("sqlcmd", "unzip", "zip"), _ARGUMENTS + r"-P[ \t]?" + _SECRET, SURE),
    ("-w", ("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"), _ARGUMENTS + r"-w[ \t]?" + _SECRET, SURE),
    ("-U", ("smbclient",), _ARGUMENTS + r"-U[ \t]?[\"']?[\w\\.\-]{1,64}%" + _SECRET, SURE),
    ("/p:", ("rdp",), _ARGUMENTS + r"/p:" + _SECRET, SURE),
    ("-", ("htpasswd",), r"[ \t]+(?:-\w+[ \t]+){1,4}[^\s|;&]{1,128}[ \t]+[\w.@\-]{1,64}[ \t]+" + _SECRET, SURE),
    ("", ("rabbitmqctl",), r"[ \t]+(?:add_user|change_password)[ \t]+[\w.\-]{1,64}[ \t]+" + _SECRET, SURE),
    ("", (" pass:",), _SECRET, CHOSEN),
    ("", ("aws configure set", "npm config set", "setx"), r"[ \t]+\S{0,80}(?i:key|token|secret|password|_auth)[ \t]+" + _SECRET, SURE),
    ("|", ("echo", "printf"), r"[ \t]+(?:-\w[ \t]+|'%s'[ \t]+)?(?:[\"']?[\w.\-]{1,64}:)?" + _SECRET
     + r"[\"']?[ \t]*\|[^\n|]{0,100}(?:-stdin|sudo -S|--with-token|chpasswd)", SURE),
)
_KEY_NEARBY = 400


def find(text: str, low: str) -> list[tuple[int, int]]:
    """Where in `text` the secrets of these places begin and end, in no order. `low`: `text` in lower case."""
    return _find(_PLACES, low, text) + _find(_COMMANDS, text, text)


def _find(rows, searched, text):
    spans = []
    for sign, words, pattern, proof in rows:
        if sign in searched:
            for word in words:
                if word in searched:
                    spans += [match.span(1) for match in re.finditer(re.escape(word) + pattern, searched)
                              if _is_proof(text, match.span(1), proof)]
    return spans


def _is_proof(text, span, proof):
    if proof is BYTES:
        return "key" in text[max(0, span[0] - _KEY_NEARBY):span[0]].lower()
    return _is_secret(text[span[0]:span[1]], proof)


@functools.lru_cache(maxsize=1024)
def _is_secret(value, proof):
    from memsift import secret_values  # few texts have such a place
    if secret_values.is_harmless(value):
        return False
    if proof is SURE:
        return True
    return secret_values.looks_chosen(value) if proof is CHOSEN else secret_values.looks_random(value)
