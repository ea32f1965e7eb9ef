"""Secrets that show by the name they are tied to, in the forms of env, JSON, YAML, TOML, command lines and sentences.

The text is searched in lower case (where "PassWord" and "PASSWORD" are one spelling and the search is quick); names and
values are then judged as they were written.
"""

from __future__ import annotations

import functools
import re

from memsift.secret_names import NOTHING
from memsift.secret_names import PASSWORD
from memsift.secret_names import RANDOM
from memsift.secret_names import STRONG
from memsift.secret_names import promise
from memsift.secret_values import ENVIRONMENT
from memsift.secret_values import LOOSE
from memsift.secret_values import PROSE
from memsift.secret_values import QUOTED
from memsift.secret_values import TIGHT
from memsift.secret_values import is_secret

_LONGEST_NAME = 48
# A quoted value is looked for this far; a key block in quotes is longer than any password.
_LONGEST_QUOTED = 8192
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

# The word that gives a name away.
_WORD = (
    r"pass(?:w(?:or[dt]|d)|phrase|code)?|pwd|psw|pw(?![a-z])|mdp|mot de passe|"
    # The word alone, without another before it, is a name only of what has a digit soon.
    r"key(?:(?<=[a-z\d][ _\-]key)|(?<=[a-z]key)|(?=\W{0,12}(?=(?P<until>[^\s\d]{0,48}))(?P=until)\d))|kennwort|token|"
    r"secret|senha|salt|sig(?:nature)?(?![a-z])|sessi?id|sessionid|connect\.sid|schl(?:ü|ue)ssel|jeton|jwt|"
    r"auth(?:orization)?(?![a-z])|contrase(?:ñ|n\u0303?)a|cl(?:é|ef?|ave)(?= |:|=)(?: (?:d[e'’] ?)?api)?|"
    r"cred(?:ential)?s?(?![a-z])|bearer|wachtwoord|geheimnis|lösenord|hasło|пароль|密码|密碼|パスワード"
)
# A value that is already redacted, to the end: no more to do there.
_DONE = r"(?!\\{0,3}[\"'`]?\[redacted\](?:[\s.,;:!?)\]}>\"'\\&`]|$))"
_LIKE_A_VALUE = r"(?=[\"'`“«]|\\\"|\S{0,60}?[\d!@#$%^&*])"
_FOR = r"(?:[ \t](?:for|of|on|to|at|from|in|de|du|des|d'|für|fuer|von|vom|zum|zur|der|para|del|per|voor)" \
       r"(?:[ \t][^\s=:]{1,24}){1,5}?|[ \t]{0,2}\([^()\n]{1,40}\))?"
_IS = r"(?:[ \t]{1,2}(?:is|was|est|ist|lautet|war|es|é|è|changed to|(?:is )?now|→|->|–|=)[ \t:]{1,3}|[ \t]{0,2}:[ \t]{1,3})"

_FORMS = (
    r"(?P<typed>[ \t]{0,2}:[ \t]{0,2}[a-z_][\w.\[\]]{0,20}[ \t]{0,2}=[ \t]{0,4}(?![=>]))",
    r"(?P<assigned>[ \t]{0,6}(?::=|=>|=|:|%3[ad])(?![=>:])[ \t]{0,8}(?=\S{3}|\|))",
    r"(?P<below>[ \t]{0,4}:?[ \t]{0,4}\r?\n[ \t>]{0,8}" + _LIKE_A_VALUE + ")",
    r"(?P<tagged>>(?=[^<>\n]{1,200}</))",
    r"(?P<valued>[,;\s]{1,48}\\{0,3}[\"']?value\\{0,3}[\"']?[ \t]{0,3}[=:][ \t]{0,3})",
    r"(?P<listed>(?:,|[ \t]{1,2}(?:\|\||\?\?|or)|\()[ \t]{0,3}(?=\\{0,3}[\"'`]))",
    r"(?P<celled>[ \t]{0,24}\|[ \t]{1,24}" + _LIKE_A_VALUE + ")",
    r"(?P<said>" + _FOR + _IS + _LIKE_A_VALUE + ")",
    r"(?P<plain>[ \t](?:is|was)[ \t](?=[a-z]{6,40}(?:[.,;!\n\"')]|$)))",
    r"(?P<beside>[ \t]{1,3}" + _LIKE_A_VALUE + ")",
)
_CANDIDATE = re.compile(
    r"(?:" + _WORD + r")(?=(?P<rest>[\w\-]{0,30}))(?P=rest)(?![\w\-])(?=(?:\?|[\\\"'`\[\])*]{0,8})(?:" + "|".join(_FORMS) + r")" + _DONE + r"(?=\S))"
)
_OPTION = re.compile(r"(?<![\w\-])--?([a-z][\w\-]{2,40})(?=[ \t]{1,3}" + _DONE + r"([^\s\-]))")

_OPENING = re.compile(r"[bBfFrRuU@]{0,2}(\\{0,7}(?:\"\"\"|'''|[\"'`“«„]))")
_CLOSED_BY = {"“": "”", "«": "»", "„": "“"}
_OPENERS = frozenset("\\\"'`“«„bBfFrRuU@")
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|hmac|splunk|bot|oauth|dpop|key)[ \t]{1,3}"
                     r"(?=\S)", re.IGNORECASE)
_RUN = re.compile(r"(?:[^\s\"'`\\]+|(?<!\s)[\"'`](?=[A-Za-z0-9$!#%^&*])|"
                  r"\\(?![\"'`nrt])|\\[nrt](?![\w.\-]{1,40}\s?[=:]|\\|\s|$))+")
_CUT = re.compile(r"[&;,|](?:amp;)?(?:[\w.%\-\[\]\"']{1,40}[=:]|[&;,|\s]|$)|%26|</")
_BLOCK = re.compile(r"[|>][+\-\d]{0,2}[ \t]*\r?\n(([ \t]+)\S[^\n]*(?:\n(?:\2[^\n]*|[ \t\r]*(?=\n)))*)")
_AFTER_QUOTED = re.compile(r"[\s,;)}\]]|\Z")
_DIGIT = re.compile(r"\d")
# Enough of an unquoted value to judge it by; only that of a secret is followed further.
_ENOUGH = 200
_TIES = {"typed": TIGHT, "valued": TIGHT, "tagged": TIGHT, "below": PROSE, "listed": PROSE, "celled": PROSE, "said": PROSE,
         "beside": PROSE, "plain": LOOSE}


def find(text: str, low: str) -> list[tuple[int, int]]:
    """Where in `text` the values of names that promise a secret begin and end. `low`: `text` in lower case."""
    spans = _spans(text, _OPTION.finditer(low), _option_value) if "-" in low else []
    return spans + _spans(text, _CANDIDATE.finditer(low), _value)


def is_secret_under(name: str, value: str) -> bool:
    """Whether the whole of `value`, found under the key `name`, is a secret."""
    kind = promise(name)
    return kind is not NOTHING and is_secret(value, kind, QUOTED)


def _spans(text, matches, value_of):
    spans, done = [], 0
    for match in matches:
        if match.start() >= done:
            span = value_of(text, match)
            if span:
                spans.append(span)
                done = span[1]
    return spans


def _option_value(text, match):
    """The value of `--api-key value`, if the option's name promises a secret."""
    kind = promise(match.group(1))
    return _judged(text, match.start(2), kind, TIGHT, QUOTED) if kind else None


def _value(text, match):
    """The span of the value in a candidate, None where the name promises nothing or the value is no secret."""
    begin, end = match.span()
    kind, is_upper = _promised(text[max(0, begin - _LONGEST_NAME):begin], text[begin:end])
    if kind is NOTHING:
        return None
    form = match.lastgroup
    start = match.end(form)
    if form == "plain" and kind is not PASSWORD or kind is RANDOM and not _DIGIT.search(text, start, start + _ENOUGH):
        return None
    tie = _tie(form, match.group(form), is_upper)
    in_quotes = QUOTED
    if tie is PROSE and not (form == "said" and kind is PASSWORD or form == "beside" and is_upper):
        in_quotes = PROSE
    return _judged(text, start, kind, tie, in_quotes)


@functools.lru_cache(maxsize=1024)
def _promised(left, name):
    """What a name promises that ends in `name` and begins in `left`, and whether all of it is in capitals.

    Where only a space stands before it, the word before that belongs to it too ("api key").
    """
    before = left.rstrip(_NAME_LETTERS)
    begin = len(before)
    if before[-1:] == "\\" and left[begin:begin + 1] in ("n", "r", "t"):
        begin += 1  # an escaped line end, not a letter
    written = left[begin:] + name
    if begin < len(left) or before[-1:] != " ":
        return promise(written), written.isupper()
    return promise(before[:-1].rpartition(" ")[2] + " " + written), written.isupper()


def _tie(form, sign, is_upper):
    if form != "assigned":
        return _TIES[form]
    if " " in sign or "\t" in sign:
        return LOOSE
    return ENVIRONMENT if is_upper else TIGHT


def _judged(text, start, kind, tie, in_quotes):
    """The span of the value that begins at `start`, if it is a secret."""
    opening = text[start] in _OPENERS and _OPENING.match(text, start)
    if opening:
        start = opening.end()
        end = _closing_quote(text, start, opening.group(1))
        if end > start and (tie is not PROSE or in_quotes is not QUOTED or " " not in text[start:end]):
            tie = in_quotes
        return _if_secret(text, start, end, kind, tie)
    block = _BLOCK.match(text, start) if text[start] in "|>" else None
    return _if_secret(text, *block.span(1), kind, QUOTED) if block else _if_secret(text, start, -1, kind, tie)


def _if_secret(text, begin, end, kind, tie):
    """The span if it is a secret, without the word "Bearer" or such; an `end` of -1 is still to be found."""
    scheme = _SCHEME.match(text, begin)
    if scheme:
        begin, kind = scheme.end(), kind if kind is PASSWORD else STRONG
    seen = end if end >= 0 else _run_end(text, begin, tie, begin + _ENOUGH)
    if seen <= begin or not is_secret(text[begin:min(seen, begin + _ENOUGH)], kind, tie):
        return None
    return begin, seen if end >= 0 or seen < begin + _ENOUGH - 8 else _run_end(text, begin, tie, len(text))


@functools.lru_cache(maxsize=64)
def _closer(quote):
    escape = r"(?<!\\)" if "\\" in quote else r"(?<!\\)(?:\\\\)*"
    return re.compile(escape + re.escape(_CLOSED_BY.get(quote, quote)))


def _closing_quote(text, start, quote):
    """Where the quoted text that begins at `start` ends; -1 if it does not, or only in some other paragraph."""
    found = _closer(quote).search(text, start, start + _LONGEST_QUOTED)
    if not found:
        return -1
    end = found.end() - len(_CLOSED_BY.get(quote, quote))
    broken = "\n" in text[start:end]
    return -1 if broken and ("\n\n" in text[start:end] or not _AFTER_QUOTED.match(text, found.end())) else end


def _run_end(text, start, tie, limit):
    """Where an unquoted value that begins at `start` ends, `limit` at the latest."""
    run = _RUN.match(text, start, limit)
    if not run:
        return start
    cut = _CUT.search(run.group())
    value = run.group()[:cut.start()] if cut else run.group()
    if tie is not ENVIRONMENT and ")" in value and "(" not in value:
        value = value[:value.index(")")]
    value = value.rstrip(".,;:" if tie in (TIGHT, ENVIRONMENT) else ".,;:!?>*")
    opener = _BRACKETS.get(value[-1:])
    return start + len(value.rstrip(value[-1]) if opener and opener not in value else value)
