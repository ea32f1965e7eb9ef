"""Secrets that show by the name they are tied to, in the forms of env, JSON, YAML, TOML, command lines and sentences.

The text is searched in lower case (where "PassWord" and "PASSWORD" are one spelling and the search is quick); names and
values are then judged as they were written.
"""

from __future__ import annotations

import re

from memsift.secret_names import NOTHING
from memsift.secret_names import PASSWORD
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
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-"

# The word that gives a name away.
_WORD = (
    r"pass(?:w(?:or[dt]|d)|phrase|code)?|pwd|psw|pw(?![a-z])|mdp|mot de passe|key|kennwort|token|"
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
    r"(?:" + _WORD + r")(?=([\w\-]{0,30}))\1(?:\?|[\\\"'`\[\])*]{0,8})(?:" + "|".join(_FORMS) + r")" + _DONE + r"(?=\S)"
)
_OPTION = re.compile(r"(?<![\w\-])--?([a-z][\w\-]{2,40})[ \t]{1,3}" + _DONE + r"(?=[^\s\-])")

_OPENING = re.compile(r"[bBfFrRuU@]{0,2}(\\{0,7}(?:\"\"\"|'''|[\"'`“«„]))")
_CLOSED_BY = {"“": "”", "«": "»", "„": "“"}
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|hmac|splunk|bot|oauth|dpop|key)[ \t]{1,3}"
                     r"(?=\S)", re.IGNORECASE)
_RUN = re.compile(r"(?:[^\s\"'`\\]+|(?<!\s)[\"'`](?=[A-Za-z0-9$!#%^&*])|"
                  r"\\(?![\"'`nrt])|\\[nrt](?![\w.\-]{1,40}\s?[=:]|\\|\s|$))+")
_CUT = re.compile(r"[&;,|](?:amp;)?(?:[\w.%\-\[\]\"']{1,40}[=:]|[&;,|\s]|$)|%26|</")
_BLOCK = re.compile(r"[|>][+\-\d]{0,2}[ \t]*\r?\n(([ \t]+)\S[^\n]*(?:\n(?:\2[^\n]*|[ \t\r]*(?=\n)))*)")
_TIES = {"typed": TIGHT, "valued": TIGHT, "tagged": TIGHT, "below": PROSE, "listed": PROSE, "celled": PROSE, "said": PROSE,
         "beside": PROSE, "plain": LOOSE}


def redact_pairs(text: str, low: str, marker: str) -> str:
    """`text` without the values of names that promise a secret. `low` is `text` in lower case, of the same length."""
    text, low = _replace(text, low, _OPTION, _option_value, marker) if "-" in low else (text, low)
    return _replace(text, low, _CANDIDATE, _value, marker)[0]


def _replace(text, low, pattern, find, marker):
    """Replace the span that `find(text, low, match)` gives for each match of `pattern`, if it gives one."""
    pieces, lows, done = [], [], 0
    match = pattern.search(low)
    while match:
        span = find(text, low, match) if match.start() >= done else None
        if span:
            pieces += text[done:span[0]], marker
            lows += low[done:span[0]], marker
            done = span[1]
        match = pattern.search(low, max(done, match.end(1)))
    return ("".join(pieces) + text[done:], "".join(lows) + low[done:]) if pieces else (text, low)


def _option_value(text, low, match):
    """The value of `--api-key value`, if the option's name promises a secret."""
    name = text[match.start(1):match.end(1)]
    kind = promise(name)
    return _judged(text, match.end(), kind, TIGHT, QUOTED) if kind else None


def _value(text, low, match):
    """The span of the value in a candidate, None where the name promises nothing or the value is no secret."""
    written, name = _name(text, low, match)
    kind = promise(name)
    form = match.lastgroup
    if kind is NOTHING or form == "plain" and kind is not PASSWORD:
        return None
    tie = _tie(form, match.group(form), written)
    in_quotes = QUOTED
    if tie is PROSE and not (form == "said" and kind is PASSWORD or form == "beside" and written.isupper()):
        in_quotes = PROSE
    return _judged(text, match.end(), kind, tie, in_quotes)


def _name(text, low, match):
    """The name as written, and the same with the word before it, where only a space is between ("api key")."""
    begin = match.start()
    left = low[max(0, begin - _LONGEST_NAME):begin]
    before = left.rstrip(_NAME_LETTERS)
    joined = len(left) - len(before)
    if joined and before[-1:] == "\\" and left[len(before)] in "nrt":
        joined -= 1
    written = text[begin - joined:match.end(1)]
    if joined or before[-1:] != " ":
        return written, written
    return written, before[:-1].rpartition(" ")[2] + " " + written


def _tie(form, sign, written):
    if form != "assigned":
        return _TIES[form]
    if " " in sign or "\t" in sign:
        return LOOSE
    return ENVIRONMENT if written.isupper() else TIGHT


def _judged(text, start, kind, tie, in_quotes):
    """The span of the value that begins at `start`, if it is a secret."""
    opening = _OPENING.match(text, start)
    if opening:
        begin, end = opening.end(), _closing(text, opening.end(), opening.group(1))
        tie = in_quotes if end > begin and not (in_quotes is QUOTED and tie is PROSE and " " in text[begin:end]) else tie
        if end < 0:
            end = _run_end(text, begin, tie)
    else:
        block = _BLOCK.match(text, start) if tie is LOOSE else None
        begin, end = block.span(1) if block else (start, -1)
        tie = QUOTED if block else tie
    scheme = _SCHEME.match(text, begin)
    if scheme:
        begin, kind = scheme.end(), kind if kind is PASSWORD else STRONG
    if end < 0:
        end = _run_end(text, begin, tie)
    return (begin, end) if end > begin and is_secret(text[begin:end], kind, tie) else None


def _closing(text, start, quote):
    """Where the quoted text that begins at `start` ends; -1 if it does not, or only in some other paragraph."""
    quote = _CLOSED_BY.get(quote, quote)
    end = start - 1
    while True:
        end = text.find(quote, end + 1, start + _LONGEST_QUOTED)
        if end < 0:
            return -1
        escapes = len(text[start:end]) - len(text[start:end].rstrip("\\"))
        if escapes % 2 == 0:
            break
    value = text[start:end]
    return -1 if "\n" in value and ("\n\n" in value or not re.match(r"[\s,;)}\]]|$", text[end + len(quote):][:1])) else end


def _run_end(text, start, tie):
    """Where an unquoted value that begins at `start` ends."""
    run = _RUN.match(text, start)
    if not run:
        return start
    cut = _CUT.search(run.group())
    end = start + cut.start() if cut else run.end()
    value = text[start:end]
    if tie is not ENVIRONMENT and ")" in value and "(" not in value:
        value = value[:value.index(")")]
    value = value.rstrip(".,;:" if tie in (TIGHT, ENVIRONMENT) else ".,;:!?>*")
    for opener, closer in ("()", "[]", "{}", "<>"):
        if value.endswith(closer) and opener not in value:
            value = value.rstrip(closer)
    return start + len(value)


def is_secret_under(name: str, value: str) -> bool:
    """Whether the whole of `value`, found under the key `name`, is a secret."""
    kind = promise(name)
    return kind is not NOTHING and is_secret(value, kind, QUOTED)
