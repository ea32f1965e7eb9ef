"""How developers say that an option was only considered."""

from __future__ import annotations

import re

from memsift.likeness import share
from memsift.likeness import words

WHERE_IT_STANDS = 600  # characters, at the end of what was typed
_SAME_SUBJECT = 0.5  # of the words of an option, in the choice that ends it
_DOUBT = re.compile(
    r"\b(?:(?:only|just) (?:an? )?(?:idea|thought|note)|as an? idea|thinking (?:a?loud|of|about)|i think about|"
    r"not decided|undecided|(?:keep|leave) (?:that|it|this) open|tempt(?:s|ed|ing)|park(?:ed|en)?|geparkt|"
    r"considered|considering|"
    r"envisag\w+|pas (?:encore )?d[ée]cid[ée]|(?:juste )?une id[ée]e|"
    r"erwogen|erw[äa]g\w+|nicht entschieden|noch offen|reiz(?:t|en)|nur (?:merken|notieren|(?:so )?eine idee)|"
    r"no (?:est[áa] )?decidid[oa]|solo una idea|pensando en|n[ãa]o decidid[oa]|s[óo] uma ideia|solo un'idea|"
    r"(?:maybe|perhaps|vielleicht|peut-[êe]tre|quiz[áa]s|talvez|forse)\b[^.!?]{0,60}\b(?:later|next|after|someday|instead|"
    r"sp[äa]ter|nach|statt|plus tard|apr[èe]s|luego|despu[ée]s|depois|dopo))\b", re.IGNORECASE)
_HALF_A_DOUBT = re.compile(r"\b(?:maybe|perhaps|vielleicht|peut-[êe]tre|quiz[áa]s|talvez|forse|later|someday|for the future|"
                           r"next season|was looking at|je pens(?:ais|e)|on pens(?:ait|e)|ich dachte|irgendwann|sp[äa]ter|"
                           r"w[äa]re|serait|ser[íi]a|sarebbe|idea|id[ée]e|idee)\b", re.IGNORECASE)
_NOT_NOW = re.compile(r"\b(?:not (?:now|yet|before|this year|for \d|touching)|nothing before|don'?t build|pas maintenant|"
                      r"pas tout de suite|pas avant|erstmal nicht|lassen wir erstmal|noch nicht|nicht jetzt|erst wenn|"
                      r"ahora no|todav[íi]a no|agora n[ãa]o|ainda n[ãa]o|non ora|non adesso)\b", re.IGNORECASE)


def is_in(typed: str) -> bool:
    """Whether somebody speaks of an option and not of a choice."""
    return bool(_DOUBT.search(typed) or _HALF_A_DOUBT.search(typed) and _NOT_NOW.search(typed))


def settles(choice: str, option: str) -> bool:
    """Whether a choice is about the subject of an option, which is then no longer open."""
    wanted, found = _subject(option), _subject(choice)
    return len(wanted & found) > 1 and share(wanted, found) >= _SAME_SUBJECT


def _subject(text: str) -> set[str]:
    return {word for word in words(text) if len(word) > 3}
