"""Tells from a name ("STRIPE_SECRET_KEY", "primaryKey", "mot de passe") what its value may be."""

from __future__ import annotations

import functools
import re

from memsift.secrets.kinds import CHOSEN
from memsift.secrets.kinds import NOTHING
from memsift.secrets.kinds import PASSWORD
from memsift.secrets.kinds import RANDOM
from memsift.secrets.kinds import STRONG

_WORDS = re.compile(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ\u0303]+|\d+|[^\W\d_a-zA-Z]+")

_PASSWORDS = (
    "password", "passwd", "passwort", "kennwort", "passphrase", "passcode", "pwd", "wachtwoord", "senha",
    "contraseña", "contrasena", "contrasen\u0303a", "lösenord", "hasło", "пароль", "密码", "密碼", "パスワード",
)
_SECRETS = ("secret", "geheimnis", "secreto", "jeton", "jwt")
# The secret of something is often a chosen word; "secret" alone is as often the name of a stored one.
_CHOSEN_SECRETS = {"clientsecret", "appsecret", "apisecret", "jwtsecret", "sharedsecret", "consumersecret"}
_CHOSEN = {
    "pass", "pw", "psw", "pswd", "mdp", "clave", "ordine", "psk", "passwords", "dbpass", "userpass",
    "requirepass", "storepass", "keypass", "bindpw", "masterauth", "dbpw", "rootpw", "authorization",
    "credential", "credentials", "creds", "cred",
}
_RANDOM = {
    "auth", "authentication", "salt", "sig", "signature", "sessionid", "phpsessid", "jsessionid", "sid",
    "cookie", "clé", "clef", "cle", "schlüssel", "schluessel", "keys", "tokens", "secrets", "bearer",
}
# A key is a credential when one of these stands before it,
_KEY_TO = {
    "api", "app", "access", "account", "admin", "application", "auth", "client", "consumer", "crypto",
    "decryption", "deploy", "enc", "encrypt", "encryption", "hmac", "ingest", "integration", "jwt", "license",
    "licence", "master", "mek", "kek", "dek", "preshared", "private", "psk", "relay", "role", "secret",
    "server", "service", "shared", "sign", "signing", "ssh", "subscription", "token", "webhook", "write",
    "network", "nwk", "root", "session", "wpa", "wifi",
}
# and never when one of these does;
_KEY_OF = {
    "primary", "foreign", "public", "pub", "sort", "partition", "cache", "unique", "composite", "index",
    "object", "hash", "range", "row", "map", "dict", "idempotency", "translation", "i18n", "react", "group",
    "routing", "shortcut", "hot", "arrow", "natural", "surrogate", "json", "yaml", "config", "setting",
    "settings", "message", "query", "state", "order", "filter", "column", "field", "dedup", "dedupe", "tag",
    "label", "merge", "join", "bucket", "search", "cluster", "distribution", "shard", "redis", "memo",
    "lookup", "candidate", "super", "storage", "answer", "musical", "home", "recv", "send", "list", "trusted",
    "known", "authorized", "fingerprint", "gpg", "pgp",
}
# the same for tokens, which are also what language models count and parsers read.
_TOKEN_OF = {
    "max", "min", "num", "n", "count", "total", "next", "prev", "previous", "page", "pagination",
    "continuation", "cursor", "eos", "bos", "pad", "unk", "cls", "sep", "mask", "special", "start", "end",
    "stop", "design", "color", "theme", "lexer", "parse", "parser", "syntax", "current", "first", "last",
    "per", "input", "output", "prompt", "completion", "estimated", "cached", "reasoning", "word",
    "cancellation", "cancel", "sync", "each", "one",
}
# Words after the credential's: these leave it what it is ("password_prod"), those make it something about it.
_STILL = {
    "prod", "production", "dev", "development", "stage", "staging", "test", "testing", "live", "sandbox",
    "old", "new", "current", "default", "main", "base", "value", "val", "string", "str", "raw", "plain",
    "plaintext", "text", "hex", "enc", "primary", "secondary", "admin", "user", "root", "db", "data",
    "override", "confirmation", "confirm", "repeat", "again", "bytes", "here", "is", "for", "a", "b", "c",
    "x", "s", "local", "ci", "env", "api", "bearer", "basic",
}
_ABOUT = {
    "id", "ids", "name", "names", "type", "types", "count", "counts", "limit", "limits", "length", "len",
    "size", "url", "uri", "path", "paths", "file", "files", "dir", "prefix", "suffix", "format", "field",
    "fields", "column", "label", "mode", "method", "methods", "policy", "rotation", "ttl", "expiry",
    "expires", "expiration", "age", "min", "max", "hash", "algorithm", "alg", "version", "info", "status",
    "state", "index", "number", "num", "ref", "reference", "arn", "group", "scope", "scopes", "provider",
    "endpoint", "location", "source", "manager", "reset", "hint", "rules", "strength", "regex", "pattern",
    "attempts", "required", "enabled", "disabled", "store", "usage", "budget", "bucket", "word", "words",
    "board", "ring", "stdin", "prompt", "less", "protected", "changed", "error", "errors", "valid", "invalid",
    "issuer", "audience", "service", "server", "lifetime", "window", "cost", "slot", "fingerprint", "vault",
}


@functools.lru_cache(maxsize=1024)
def promise(name: str) -> str:
    """What the name promises of its value: a kind of kinds. Spaces may stand in it ("api key")."""
    if "mot de passe" in name.lower():
        return PASSWORD
    words = [word.lower() for word in _WORDS.findall(name)]
    is_doubtful = False
    while words:
        kind = _kind(words, name)
        if kind or words[-1] in _ABOUT:
            return RANDOM if kind and is_doubtful else kind
        is_doubtful = is_doubtful or not (words[-1] in _STILL or words[-1].isdigit())
        words.pop()
    return NOTHING


def _kind(words, name):
    """What a name of these words promises by its last one."""
    last, before = words[-1], words[:-1]
    if last.endswith(_PASSWORDS):
        # "PWD" alone is the working directory of a shell as often.
        return CHOSEN if last == "pwd" and not before else PASSWORD
    if last.endswith("key"):
        return _kind_of_key(last[:-3], before, name)
    if last.endswith("token"):
        return STRONG if _TOKEN_OF.isdisjoint(before[-2:]) else NOTHING
    if last.endswith(_SECRETS):
        return STRONG if _KEY_TO.isdisjoint(before) and last not in _CHOSEN_SECRETS else PASSWORD
    if last in _CHOSEN or last == "auth" and name.isupper():
        return CHOSEN
    return RANDOM if last in _RANDOM and _KEY_OF.isdisjoint(before) else NOTHING


def _kind_of_key(joined, before, name):
    """What a key promises; `joined` is what is written together with the word ("api" in "apikey")."""
    if not _KEY_OF.isdisjoint(before) or joined in _KEY_OF:
        return NOTHING
    if joined:
        return STRONG if any(joined.endswith(word) for word in _KEY_TO) else NOTHING
    if not _KEY_TO.isdisjoint(before):
        return STRONG
    return CHOSEN if before and name.isupper() else RANDOM
