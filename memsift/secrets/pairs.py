"""Secrets that show by the name they are tied to: in env, JSON, YAML, TOML, command-line and prose forms.

The text is searched in lower case, where "PassWord" and "PASSWORD" are one spelling and the search is quick;
names and values are then judged as they were written.
"""

from __future__ import annotations

import functools
import re

from memsift.secrets.kinds import CHOSEN
from memsift.secrets.kinds import ENVIRONMENT
from memsift.secrets.kinds import LOOSE
from memsift.secrets.kinds import NOTHING
from memsift.secrets.kinds import PASSWORD
from memsift.secrets.kinds import PROSE
from memsift.secrets.kinds import QUOTED
from memsift.secrets.kinds import RANDOM
from memsift.secrets.kinds import SPACED
from memsift.secrets.kinds import STRONG
from memsift.secrets.kinds import TIGHT
from memsift.secrets.names import promise

_LONGEST_NAME = 48
# Whatever looks random has a digit within so many characters.
_SOON = 200
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

# The word that gives a name away. "key" without a word before it is a name only of what has a digit soon.
_WORD = (
    r"(?:pass(?:w(?:or[dt]|d)|phrase|code)?|pwd|psw|pw(?![a-z])|psk(?![a-z])|mdp|mot de passe|kennwort|token|"
    r"key(?:(?<=[a-z\d][ _\-]key)|(?<=[a-z]key)|(?=(?=(?P<until>\W{0,12}[^\s\d]{0,32}))(?P=until)\d))|"
    r"secret|senha|salt|sig(?:nature)?(?![a-z])|sessi?id|sessionid|connect\.sid|schl(?:ü|ue)ssel|jeton|jwt|"
    r"auth(?:orization)?(?![a-z])|contrase(?:ñ|n\u0303?)a|cl(?:é|ef?|ave)(?= |:|=)"
    r"(?: (?:d[e'’] ?)?(?:api|acc[eè]so?s?|secr[eè]t[ae]|privée|privada))?|"
    r"cred(?:ential)?s?(?![a-z])|bearer|cookie|parola d['’]ordine|wachtwoord|geheimnis|lösenord|hasło|пароль|"
    r"密码|密碼|パスワード)"
)
# The rest of the name, taken whole.
_REST = r"(?=(?P<rest>[\w\-]{0,30}))(?P=rest)(?![\w\-])"
_WRAPPED = r"(?:\?|[\\\"'`\[\])*]{0,8})"
# A value that is redacted already, to its end; and the same in the commonest forms, for a quick second look.
_DONE = r"(?!\\{0,3}[\"'`]?\[redacted\](?:[\s.,;:!?)\]}>\"'\\&`]|$))"
_PLAINLY_DONE = r"(?![\"']?[:=] ?[\"']?\[redacted\](?:[\s\"',;)&]|\Z))"

_FOR = (
    r"(?:[ \t]d['’][^\s=:]{1,24}|[ \t]"
    r"(?:for|of|on|to|at|from|in|de|du|des|für|fuer|von|vom|zum|zur|der|para|del|do|da|per|voor)"
    r"(?:[ \t][^\s=:]{1,24}){1,5}?|[ \t]{0,2}\([^()\n]{1,40}\))?"
)
_IS = (
    r"(?:[ \t]{1,2}(?:is|was|est|ist|lautet|war|c['’]est|es|é|è|changed to|(?:is )?now|→|->|–|-|=)"
    r"[ \t:]{1,3}|[ \t]{0,2}:[ \t]{1,3})"
)
_FORMS = (
    r"(?P<typed>[ \t]{0,2}:[ \t]{0,2}[a-z_][\w.\[\]]{0,20}[ \t]{0,2}=[ \t]{0,4}(?=[bfru]{0,2}\\{0,3}[\"'`]))",
    r"(?P<assigned>[ \t]{0,6}(?::=|=>|=|:|%3[ad])(?![=>:])[ \t]{0,8}(?=\S{3}|\|))",
    r"(?P<tagged>>(?=[^<>\n]{1,200}</))",
    r"(?P<valued>[,;{\s]{1,48}\\{0,3}[\"']?(?:value|default)\\{0,3}[\"']?[ \t]{0,3}[=:][ \t]{0,3})",
    r"(?P<listed>(?:,|[ \t]{1,2}(?:\|\||\?\?|or)|\()[ \t]{0,3}"
    r"(?=\\{0,3}[\"'`][^\s\"'`]{0,60}?[\d!@#$%^&*]))",
    r"(?P<plain>[ \t](?:is|was)[ \t](?=[a-z]{6,40}(?:[.,;!\n\"')]|$)))",
    r"(?:(?P<below>[ \t]{0,4}:[ \t]{0,4}\r?\n[ \t>]{0,8})|(?P<celled>[ \t]{0,24}\|[ \t]{1,24})|"
    r"(?P<said>" + _FOR + _IS + r")|(?P<beside>[ \t]{1,3}))(?=[\"'`“«]|\\\"|\S{0,60}?[\d!@#$%^&*])",
)
_TIES = {"typed": TIGHT, "valued": TIGHT, "tagged": TIGHT, "below": PROSE, "listed": PROSE, "celled": PROSE,
         "said": PROSE, "plain": LOOSE, "beside": PROSE}

_CANDIDATE = re.compile(
    _WORD + _REST + _PLAINLY_DONE + "(?=" + _WRAPPED + "(?:" + "|".join(_FORMS) + ")" + _DONE + r"(?=\S))")
_OPTION = re.compile(r"-(?<![\w\-]-)-?([a-z][\w\-]{2,40})(?=[ \t]{1,3}" + _DONE + r"([^\s\-]))")
_DIGIT = re.compile(r"\d")
_LONG_WORD = re.compile(r"\S{8}")


def find(text: str, low: str) -> list[tuple[int, int]]:
    """Where in `text` values of names that promise a secret begin and end. `low`: `text` in lower case."""
    tied = []
    for match in _OPTION.finditer(low) if "-" in low else ():
        kind = promise(match.group(1))
        if kind:
            tied.append((match.start(), match.start(2), kind, TIGHT, QUOTED))
    for match in _CANDIDATE.finditer(low):
        found = _tied(text, match)
        if found:
            tied.append(found)
    return _spans(text, tied) if tied else []


def is_secret_under(name: str, value: str, is_number: bool = False) -> bool:
    """Whether the whole of `value`, found under the key `name`, is a secret; a number only as a password."""
    kind = promise(name)
    if kind is NOTHING or is_number and kind is not PASSWORD:
        return False
    from memsift.secrets import values  # compiles what most texts and values do not need
    if kind is PASSWORD or kind is STRONG:
        return not values.is_empty(value)
    return values.is_secret(value, kind, QUOTED)


def _spans(text, tied):
    from memsift.secrets import extent  # as above
    spans, done = [], 0
    for begin, start, kind, tie, in_quotes in sorted(tied):
        if begin >= done:
            span = extent.secret_at(text, start, kind, tie, in_quotes)
            if span:
                spans.append(span)
                done = span[1]
    return spans


def _tied(text, match):
    """Where a candidate's name and value begin, what the name promises, and the tie without and with quotes.

    None where the name promises nothing.
    """
    begin, end = match.span()
    left = text[begin - _LONGEST_NAME if begin > _LONGEST_NAME else 0:begin]
    kind, is_upper = _promised(_begun(left) + text[begin:end])
    form = match.lastgroup
    start = match.end(form)
    if kind is NOTHING or kind is RANDOM and not _DIGIT.search(text, start, start + _SOON):
        return None
    sign = text[end:start]
    if form != "assigned":
        return _loosely_tied(text, match, sign, kind, is_upper)
    if kind is STRONG and left[-1:] == sign == ":":
        return None  # a part of a resource's name
    return begin, start, kind, _assigned(sign, is_upper), QUOTED


def _loosely_tied(text, match, sign, kind, is_upper):
    form = match.lastgroup
    start = match.end(form)
    if form == "plain" and kind is not PASSWORD:
        return None
    if form == "beside" and (sign[0] == ")" or _is_verb(text, match)):
        return None  # the end of a call; what is done with an argument
    is_said = form == "said"
    if kind is STRONG and (is_said and _LONG_WORD.match(text, start) or form == "listed" and "(" not in sign):
        kind = CHOSEN
    tie = _TIES[form]
    is_quote = tie is not PROSE or is_said and kind is PASSWORD or form == "beside" and is_upper
    return match.start(), start, kind, tie, QUOTED if is_quote else PROSE


def _is_verb(text, match):
    """Whether it is the word "pass", not the end of a name like "db_pass"."""
    before = text[match.start() - 1:match.start()]
    return match.group() == "pass" and not (before.isalnum() or before in ("_", "-"))


def _assigned(sign, is_upper):
    if " " in sign or "\t" in sign:
        return LOOSE if ":" in sign else SPACED
    return ENVIRONMENT if is_upper else TIGHT


def _begun(left):
    """The beginning, at the end of `left`, of a name that goes on after it.

    Where only a space stands between, the word before belongs to it too ("api key").
    """
    before = left.rstrip(_NAME_LETTERS)
    if len(before) < len(left):
        begun = left[len(before):]
        is_escaped = before[-1:] == "\\" and begun[0] in "nrt"  # an end of line, no letter
        return begun[1:] if is_escaped else begun
    if before[-1:] != " ":
        return ""
    word = before[:-1].rpartition(" ")[2].strip("(\"'`*")
    return word + " " if word.isalnum() else ""


@functools.lru_cache(maxsize=1024)
def _promised(name):
    """What the name promises, and whether its last word is in capitals like a variable of the environment."""
    return promise(name), name.rpartition(" ")[2].isupper()
