"""Secrets that show by where they stand: in an address, a login pair, a cookie, a command line, a list of key bytes.

A row: what must occur in the text, a pattern whose one group is the secret, and how sure the place alone makes it.
"""

from __future__ import annotations

import re

# The place is proof unless the value is a reference; or the value must look chosen, or random, as well.
SURE, CHOSEN, RANDOM, BYTES = "sure", "chosen", "random", "bytes"

_SECRET = r"[\"']?([^\s\"'|;&]{3,256})"
_ARGUMENTS = r"\b[^\n|;&]{0,200}?[ \t]"
_HOST = r"(?=[\w\[({$.%\-])"

_ADDRESSES = (
    (("@",), r":\\?/\\?/[^\s/:@\"'`<>?#]{0,128}:(?!\[redacted\]@)((?:[^\s/@\"'`<>]+@)*[^\s/@\"'`<>]+)@" + _HOST, SURE),
    (("@",), r":\\?/\\?/[^\s/:@\"'`<>?#]{0,128}:(?!\[redacted\]@|\d{1,5}[/?#])([^\s@\"'`<>]{1,256})@" + _HOST, SURE),
    (("@",), r":\\?/\\?/([\w\-.~%]{16,256})@", RANDOM),
    (("%3a%2f%2f",), r"(?i:%3a%2f%2f)[^%\s]{0,64}%3[aA]((?:(?!%40)[^\s\"'&]){1,256})%40", SURE),
    (("@tcp(", "@unix("), r"(?<![\w.\-])[\w.\-]{1,64}:([^\s@\"'`]{1,128})@(?:tcp|unix)\(", SURE),
    ((":thin:",), r":thin:[\w.\-]{1,64}/([^\s@\"'`/]{1,128})@", SURE),
    ((":5432:", ":3306:", ":*:"), r"(?m:^[ \t]*[\w.*\-]{1,128}:(?:\d{2,5}|\*):[\w*\-]{1,64}:[\w*\-]{1,64}:([^\s\"':]{3,128})$)", SURE),
)
_PAIRS = (
    (("cred", "login", "user", "zugangsdaten", "identifiants"),
     r"(?i:\b(?:creds?|credentials?|logins?|zugangsdaten|identifiants|credenciales|user(?:name)?/(?:pass(?:word|wd)?|pw))\b)"
     r"[^\n:=]{0,40}[:=][ \t]{0,3}[\"'`]?[\w.@+\-]{1,64}[ \t]?[/:|,][ \t]?([^\s\"'`,;]{4,128})", CHOSEN),
    (("cookie",), r"(?i:\b(?:set-)?cookie)[\"'\\]{0,4}[ \t]?[:=][ \t]?[\"'\\]{0,4}(?=[\w.\-]{1,64}=[^\s;=])([^\r\n\"'\\]{3,8192})",
     SURE),
    (("login",), r"\blogin[ \t]+\S{1,64}\s+password[ \t]+" + _SECRET, SURE),
    (("\"kty\"",), r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([\w\-]{16,})", SURE),
    (("0x",), r"((?:0x[0-9a-fA-F]{1,2}\s{0,8},\s{0,8}){15,}0x[0-9a-fA-F]{1,2})", BYTES),
)
_COMMANDS = (
    (("curl", "wget", "http", "restic"),
     r"\b(?:curl|wget|https?|xh|restic)" + _ARGUMENTS + r"(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]?[\"']?[^\s:\"'$]{1,64}:"
     + _SECRET, CHOSEN),
    (("curl",), r"\bcurl" + _ARGUMENTS + r"(?:-b|--cookie)[ =]?[\"']?[\w.\-]{1,64}=([^\s\"']{6,4096})", SURE),
    (("mysql", "mariadb", "mycli"), r"\b(?:mysql\w*|mariadb[\w\-]*|mycli)" + _ARGUMENTS + r"-p" + _SECRET, SURE),
    (("sshpass", "login", "mongo", "influx"),
     r"\b(?:sshpass|(?:docker|podman|helm registry|az|oc) login|mongo\w*|influx)" + _ARGUMENTS + r"-p[ \t]?" + _SECRET, SURE),
    (("redis-cli",), r"\bredis-cli" + _ARGUMENTS + r"-a[ \t]?" + _SECRET, SURE),
    (("sqlcmd", "zip"), r"\b(?:sqlcmd|unzip|zip)" + _ARGUMENTS + r"-P[ \t]?" + _SECRET, SURE),
    (("7z",), r"\b7z\w?" + _ARGUMENTS + r"-p" + _SECRET, SURE),
    (("ldap",), r"\bldap\w+" + _ARGUMENTS + r"-w[ \t]?" + _SECRET, SURE),
    (("smbclient",), r"\bsmbclient" + _ARGUMENTS + r"-U[ \t]?[\"']?[\w\\.\-]{1,64}%" + _SECRET, SURE),
    (("rdp",), r"\b\w{0,16}rdp" + _ARGUMENTS + r"/p:" + _SECRET, SURE),
    (("htpasswd",), r"\bhtpasswd[ \t]+(?:-\w+[ \t]+){1,4}[^\s|;&]{1,128}[ \t]+[\w.@\-]{1,64}[ \t]+" + _SECRET, SURE),
    (("rabbitmqctl",), r"\brabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+[\w.\-]{1,64}[ \t]+" + _SECRET, SURE),
    (("pass:",), r"-pass(?:in|out)?[ \t]+[\"']?pass:" + _SECRET, SURE),
    (("identified",), r"(?i:\bidentified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?)['\"]([^\s'\"]{3,256})", SURE),
    (("config", "setx"), r"\b(?:aws configure set|npm config set|setx)[ \t]+\S{0,80}(?i:key|token|secret|password|_auth)[ \t]+"
     + _SECRET, SURE),
    (("chpasswd",), r"echo[ \t]+(?:-\w[ \t]+)?[\"']?[\w.\-]{1,64}:" + _SECRET
     + r"[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd", SURE),
    (("-stdin", "sudo -s", "--with-token"), r"(?:echo|printf)[ \t]+(?:-\w[ \t]+|'%s'[ \t]+)?" + _SECRET
     + r"[\"']?[ \t]*\|[^\n|]{0,100}(?:-stdin|sudo -S|--with-token)", SURE),
)
_ROWS = _ADDRESSES + _PAIRS + _COMMANDS
_KEY_NEARBY = 400


def rows_for(low: str) -> list[tuple]:
    """The rows whose signs occur in `low`, the text in lower case."""
    return [row for row in _ROWS if any(sign in low for sign in row[0])]


def redact_places(text: str, rows: list[tuple], marker: str) -> str:
    """`text` with the secrets of these rows' places replaced by `marker`."""
    for _, pattern, proof in rows:
        text = re.sub(pattern, lambda match: _redacted(match, proof, marker), text)
    return text


def _redacted(match: re.Match, proof: str, marker: str) -> str:
    if not _is_secret(match, proof):
        return match.group()
    begin = match.start()
    return match.group()[:match.start(1) - begin] + marker + match.group()[match.end(1) - begin:]


def _is_secret(match: re.Match, proof: str) -> bool:
    from memsift import secret_values  # few texts need it
    if proof is BYTES:
        return "key" in match.string[max(0, match.start() - _KEY_NEARBY):match.start()].lower()
    value = match.group(1)
    if secret_values.is_harmless(value):
        return False
    if proof is SURE:
        return True
    return secret_values.looks_chosen(value) if proof is CHOSEN else secret_values.looks_random(value)
