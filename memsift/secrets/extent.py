"""Where a value begins and ends: in quotes, in an indented block, or where nothing more can belong to it."""

from __future__ import annotations

import functools
import re

from memsift.secrets.kinds import ENVIRONMENT
from memsift.secrets.kinds import LOOSE
from memsift.secrets.kinds import NOTHING
from memsift.secrets.kinds import PASSWORD
from memsift.secrets.kinds import PROSE
from memsift.secrets.kinds import QUOTED
from memsift.secrets.kinds import SPACED
from memsift.secrets.kinds import STRONG
from memsift.secrets.kinds import TIGHT
from memsift.secrets.names import promise
from memsift.secrets.values import is_secret

# A quoted value is looked for this far; a key block in quotes is longer than any password.
_LONGEST_QUOTED = 8192
# Enough of an unquoted value to judge it by; only that of a secret is followed further.
_ENOUGH = 200

_OPENERS = frozenset("\\\"'`“«„bBfFrRuU@")
_OPENING = re.compile(r"[bBfFrRuU@]{0,2}(\\{0,7}(?:\"\"\"|'''|\"\"(?=[^\s\",;:)}\]])|[\"'`“«„]))")
_CLOSED_BY = {"“": "”", "«": "»", "„": "“"}
_AFTER_QUOTED = frozenset(" \t\r\n,;)}]")
_SHORT_PHRASE = r"(?=[^\d]{0,60}\d).{1,60}\Z"
_BLOCK = r"[|>][+\-\d]{0,2}[ \t]*\r?\n(([ \t]+)\S[^\n]*(?:\n(?:\2[^\n]*|[ \t\r]*(?=\n)))*)"

_SCHEME_LETTERS = frozenset("bBtTdDaAnNhHsSoOkK&!")
_SCHEME = (
    r"(?i:bearer|basic|token|digest|api-?key|negotiate|ntlm|hmac|splunk|bot|oauth|dpop|key|"
    r"&\w{1,24}|!!str)[ \t]{1,3}(?=\S)"
)

# Letters of a value; quotes only where letters follow; backslashes that escape no line end and no quote.
_RUN = re.compile(r"(?:[^\s\"'`\\]+|(?<!\s)[\"'`](?=[A-Za-z0-9$!#%^&*])|"
                  r"\\(?![\"'`nrt])|\\[nrt](?![\w.\-]{1,40}\s?[=:]|\\|\s|$))+")
# Where another pair, an end of tag or nothing more follows a separator, the value ends before it.
_CUTS = frozenset("&;,|%<")
_CUT = re.compile(r"[&;,|](?:amp;)?(?:[\w.%\-\[\]\"']{1,40}[=:]|[&;,|\s]|$)|%26|</")
# What ends a sentence or a clause after a value; more in a sentence, less where a program reads it.
_ENDS = {TIGHT: ".,;:", ENVIRONMENT: ".,;:", PROSE: ".,;:!?>*"}
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_PAIR = r"([A-Za-z_][\w\-]{1,40})[=:]"
_GOES_ON = r"[ \t]\(?[^\W\d_]"


def secret_at(text: str, start: int, kind: str, tie: str, in_quotes: str) -> tuple[int, int] | None:
    """Where the value that begins at `start` begins and ends without its quotes, None if it is no secret.

    `kind` is what its name promises, `tie` how they are tied, `in_quotes` how if the value is in quotes.
    """
    opening = _OPENING.match(text, start) if text[start] in _OPENERS else None
    if opening:
        start = opening.end()
        end = _closing(text, start, opening.group(1))
        if end > start and (tie is not PROSE or _is_quoted(text[start:end])):
            tie = in_quotes
        return _if_secret(text, start, end, kind, tie)
    block = _matched(_BLOCK, text, start) if text[start] in "|>" else None
    if block:
        return _if_secret(text, block.start(1), block.end(1), PASSWORD if kind is STRONG else kind, QUOTED)
    return _if_secret(text, start, -1, kind, tie)


# For patterns that many texts do without; quicker than the cache of the module itself.
_compiled = functools.lru_cache(maxsize=None)(re.compile)


def _matched(pattern, text, at):
    return _compiled(pattern).match(text, at)


def _if_secret(text, start, end, kind, tie):
    """The span if it is a secret, without "Bearer" or such before it; an `end` of -1 is still to be found."""
    scheme = _matched(_SCHEME, text, start) if text[start:start + 1] in _SCHEME_LETTERS else None
    begin = scheme.end() if scheme else start
    if scheme and kind is not PASSWORD:
        kind = STRONG
    if end >= 0:
        return (begin, end) if end > begin and is_secret(text[begin:end][:_ENOUGH], kind, tie) else None
    end = _run_end(text, begin, tie, begin + _ENOUGH)
    if end == begin or not is_secret(text[begin:end], kind, tie):
        return None
    if _is_pair(text, begin, tie) or _is_word_of_text(text, begin, end, tie):
        return None
    return begin, end if end < begin + _ENOUGH - 8 else _run_end(text, begin, tie, len(text))


def _is_quoted(phrase):
    """Whether a sentence that has this in quotes quotes a value, not somebody's words."""
    return " " not in phrase or bool(re.match(_SHORT_PHRASE, phrase))


def _is_pair(text, begin, tie):
    """"the token is ACME_TOKEN=...": left to its own name."""
    pair = None if tie is TIGHT or tie is ENVIRONMENT else _matched(_PAIR, text, begin)
    return pair is not None and promise(pair.group(1)) is not NOTHING


def _is_word_of_text(text, begin, end, tie):
    """Letters that the text goes on from: a word of a sentence after "password: ", a variable in a call."""
    if tie is TIGHT:
        value = text[begin:end] if text[end:end + 1] == ")" else ""
        return value.replace("_", "").isalpha() and ("_" in value or not (value.islower() or value.isupper()))
    if tie is not LOOSE and tie is not SPACED or not text[begin:end].isalpha():
        return False
    return _matched(_GOES_ON, text, end) is not None


def _closing(text, start, quote):
    """Where the quoted text that begins at `start` ends; -1 if it does not, or only in another paragraph."""
    if text.startswith(quote, start):
        return start
    found = _closer(quote).search(text, start, start + _LONGEST_QUOTED)
    if not found:
        return -1
    end = found.end() - len(_CLOSED_BY.get(quote, quote))
    quoted, following = text[start:end], text[found.end():found.end() + 1]
    if "\n" in quoted and ("\n\n" in quoted or not _AFTER_QUOTED.issuperset(following)):
        return -1
    return end


@functools.lru_cache(maxsize=64)
def _closer(quote):
    escaped = r"(?<!\\)" if "\\" in quote else r"(?<!\\)(?:\\\\)*"
    if quote == "'":
        return re.compile(escaped + "(?<!')(?:'')*'(?!')")  # doubled, it is an apostrophe in YAML and SQL
    return re.compile(escaped + re.escape(_CLOSED_BY.get(quote, quote)))


def _run_end(text, start, tie, limit):
    """Where an unquoted value that begins at `start` ends, `limit` at the latest."""
    run = _RUN.match(text, start, limit)
    if not run:
        return start
    value = run.group()
    cut = None if _CUTS.isdisjoint(value) else _CUT.search(value)
    if cut:
        value = value[:cut.start()]
    if ")" in value and "(" not in value and tie is not ENVIRONMENT:
        value = value[:value.index(")")]
    value = value.rstrip(_ENDS.get(tie, ".,;:>*"))
    opener = _BRACKETS.get(value[-1:])
    return start + len(value.rstrip(value[-1]) if opener and opener not in value else value)
