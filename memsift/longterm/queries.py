"""What the long-term store is asked for a prompt: two or three short queries, and one list made of what they find.

One query is compared by meaning: the question, without what was pasted under it, and the lines of the paste that tell
of an error. One is compared by words, which finds names, identifiers and numbers, and texts in a language that the
store's vectors know badly; such a search knows only whole words, so other forms of them are asked for as well. A short
prompt is also asked together with what the agent said before it. docs/SEARCH.md has the figures, and what was tried
and found less.
"""

from __future__ import annotations

import math
import re

from memsift import prose
from memsift import redact
from memsift.judgement import Message
from memsift.longterm.passage import Passage
from memsift.terms import focus
from memsift.terms import terms

MEANING, WORDS = "CHUNKS", "CHUNKS_LEXICAL"  # the two searches of a Cognee server; every version 1.x has both

_QUESTION_CHARACTERS = 400  # small embedding models read about 256 tokens
_ERROR_LINES = 3
_ERROR_CHARACTERS = 120
_MOST_WORDS = 60
_LONGEST_WORD = 40
_FEW_WORDS = 12  # a prompt with fewer says what it is about only together with what was said before
_BEFORE_CHARACTERS = 200
_BEFORE_WEIGHT = 0.5
_RANK = 11  # of the first place; a place counts one by its rank, so that the twelfth one counts half
_LONGEST_PASSAGE = 4_000  # characters that are looked at

_WORD = re.compile(r"\w+")
_ERROR = re.compile(
    r"error|exception|fail|fatal|refus|denied|invalid|cannot|can't|unable|not found|missing|panic|abort|time(?:d )?out"
    r"|warn|mismatch|exceed|no such|reject|fehler|erreur|\u00e9chec|impossible", re.IGNORECASE)
_ENDINGS = ("s", "es", "ed", "ing", "en", "e", "n")  # of English, French and German words, as many as pay
# The store leaves out the commonest English words; in a dataset of another language these would outweigh the rest.
_COMMON = frozenset(
    "the and for are was were with that this from have has had not but you your our its can what why how when where "
    "which who der die das und ist ein eine einen nicht mit auf von den dem des wir ich sich auch wie les une est pas "
    "que qui dans pour sur avec par nous vous mais comme \u00e7a".split())


class Query:
    """A text, whether it is compared by MEANING or by WORDS, and how much what it finds counts."""

    __slots__ = ("text", "by", "weight")

    def __init__(self, text: str, by: str = MEANING, weight: float = 1.0) -> None:
        self.text = text
        self.by = by
        self.weight = weight


def texts(prompt: str, recent: list[Message] | tuple = ()) -> list[Query]:
    """The queries for a prompt, none of them empty; none at all for a prompt without any text."""
    prompt = _clean(prompt)
    question = "\n".join([_question(prompt)] + _error_lines(prompt)).strip()
    if not question:
        return []
    words = _telling(question)
    forms = dict.fromkeys(form for word in words[:_MOST_WORDS] for form in _forms(word))
    found = [Query(question), Query(" ".join(forms), WORDS)]
    if len(words) < _FEW_WORDS:
        before = _said_before(recent)
        found += [Query("%s\n%s" % (before, question), weight=_BEFORE_WEIGHT)] if before else []
    return [query for query in found if query.text]


def _question(prompt: str) -> str:
    """What the developer wrote; of a prompt that is pasted whole, its beginning and end."""
    return focus((prose.typed(prompt) or prompt).strip(), _QUESTION_CHARACTERS)


def _error_lines(prompt: str) -> list[str]:
    """The first lines of what was pasted that tell of an error."""
    found = (line.strip() for line in prompt.splitlines() if _ERROR.search(line) and not prose.is_typed(line))
    return [line[:_ERROR_CHARACTERS] for _, line in zip(range(_ERROR_LINES), filter(None, found))]


def _said_before(recent: list[Message] | tuple) -> str:
    """The end of what the agent said last."""
    last = next((message.text for message in reversed(recent) if message.role == "agent"), "")
    return _clean(last)[-_BEFORE_CHARACTERS:].strip()


def _clean(text: str) -> str:
    """Without secrets, before they are taken to pieces that nobody would know again."""
    return redact.redact(text).replace(redact.MARKER, " ")


def _telling(text: str) -> list[str]:
    """The words that may tell one text from another, each once, in lower case."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        low = word.lower()
        if low not in _COMMON and (len(low) > 2 or any(map(str.isdigit, low))):
            found[low[:_LONGEST_WORD]] = None
    return list(found)


def _forms(word: str) -> list[str]:
    """A word, and the forms that it may have in another text."""
    if len(word) < 4 or not word.isalpha():
        return [word]
    stems = [word] + [word[:-len(ending)] for ending in _ENDINGS
                      if word.endswith(ending) and len(word) - len(ending) > 2]
    return stems + [stem + ending for stem in stems for ending in _ENDINGS]


def merge(queries: list[Query], lists: list[list[Passage]]) -> list[Passage]:
    """One list of what the queries found, best first: what stands high in more than one ranking comes first.

    Searches by words are ranked here, and everything else by the same rule: in all datasets and versions alike, and in
    more than whole words. `queries`: the question first.
    """
    passages: dict[str, Passage] = {}
    for passage in (passage for found in lists for passage in found):
        passages.setdefault(passage.text, passage)
    rankings = [(query.weight, [passage.text for passage in found])
                for query, found in zip(queries, lists) if query.by == MEANING]
    rankings += [(query.weight, _by_words(queries[0].text, list(passages))) for query in queries if query.by == WORDS]
    merits = dict.fromkeys(passages, 0.0)
    for weight, ranking in rankings:
        for place, text in enumerate(dict.fromkeys(ranking)):
            merits[text] += weight / (_RANK + place)
    ranked = sorted(passages.values(), key=lambda passage: -merits[passage.text])
    return [passage for passage in ranked if merits[passage.text]]


def _by_words(question: str, texts: list[str]) -> list[str]:
    """Those that share terms with the question, best first; the fewer texts have a term, the more it counts."""
    wanted = set(terms(question))
    shared = {text: wanted.intersection(terms(text[:_LONGEST_PASSAGE])) for text in texts}
    frequency: dict[str, int] = {}
    for found in shared.values():
        for term in found:
            frequency[term] = frequency.get(term, 0) + 1
    merits = {text: sum(math.log(1 + len(texts) / frequency[term]) for term in found) for text, found in shared.items()}
    return sorted((text for text in texts if merits[text]), key=lambda text: -merits[text])
