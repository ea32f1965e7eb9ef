"""Passages of the long-term store as entries to judge, each of a size that can be added to a prompt."""

from __future__ import annotations

import re
import time

from memsift import home
from memsift import likeness
from memsift import redact
from memsift.entry import CONSIDERED
from memsift.entry import CORRECTION
from memsift.entry import Entry
from memsift.longterm import document
from memsift.longterm.datasets import is_reserved
from memsift.longterm.passage import Passage

LONGEST = 900  # characters
_LONGEST_PASSAGE = 20_000  # the server's own largest chunk is below that
_MARGIN = 4_096  # what is cut off is cut after redaction, so no half secret remains
_MOST_PIECES = 3  # of one passage
_BORDERS = ("\n\n", "\n", ". ", "! ", "? ", "; ", " ")  # where to cut, best first
_ID = r"[A-Za-z0-9_.-]{1,60}"
_DATE = r"\d{4}-\d\d-\d\d"
OWN_TAG = "memsift"


def entries(passages: list[Passage], texts: list[str], most: int, longest: int = LONGEST) -> list[Entry]:
    """At most `most` entries, those of the first passages first. Of a long passage the pieces count that share most
    words with what was asked for; no passage has its second piece before every other one has its first."""
    longest = min(longest, LONGEST)
    wanted = likeness.words(" ".join(texts))
    found: dict[str, Entry] = {}
    rows = [_pieces(passage, wanted, longest) for passage in passages]
    for number in range(_MOST_PIECES):
        for row in rows:
            if number < len(row) and len(found) < most:
                found.setdefault(row[number].id, row[number])
    return list(found.values())


def split(text: str, longest: int = LONGEST) -> list[str]:
    """The text in pieces of at most that many characters, cut between paragraphs, else sentences, else words."""
    pieces, text = [], text.strip()
    while len(text) > longest:
        end = _border(text, longest)
        pieces.append(text[:end].strip())
        text = text[end:].lstrip()
    return pieces + [text] if text else pieces


def _border(text: str, longest: int) -> int:
    for mark in _BORDERS:
        at = text.rfind(mark, longest // 3, longest)
        if at > 0:
            return at + len(mark)
    return longest


def _pieces(passage: Passage, wanted: set[str], longest: int) -> list[Entry]:
    """The closest pieces of a passage, in the order of the text."""
    own = _own_id(passage)
    said = document.words(passage.text, own) if own else passage.text
    texts = split(redact.redact(said[:_LONGEST_PASSAGE + _MARGIN])[:_LONGEST_PASSAGE], longest)
    if len(texts) > _MOST_PIECES:
        ranked = sorted(range(len(texts)), key=lambda number: -len(wanted & likeness.words(texts[number])))
        texts = [texts[number] for number in sorted(ranked[:_MOST_PIECES])]
    if not own:
        return [Entry("c" + home.digest(text, 9), _date(passage.created), text, place="cognee") for text in texts]
    return [_own_entry(own if number == 0 else "%s-%d" % (own, number + 1), text, passage)
            for number, text in enumerate(texts)]


def _own_id(passage: Passage) -> str:
    """The id of the entry that memsift uploaded as this document; "" for anybody else's document."""
    if OWN_TAG not in passage.tags and not is_reserved(passage.dataset):
        return ""
    id = passage.metadata.get(OWN_TAG) or passage.document or document.id_in(passage.text)
    return id if isinstance(id, str) and re.fullmatch(_ID, id) else ""


def _own_entry(id: str, text: str, passage: Passage) -> Entry:
    facts = passage.metadata
    files = facts.get("files")
    files = [redact.redact(name) for name in files if isinstance(name, str)] if isinstance(files, list) else []
    return Entry(id, _fact(facts, "date", _DATE) or _date(passage.created), text, files,
                 _fact(facts, "said", "developer|agent"), _fact(facts, "turn", r"[\w./:-]{1,200}"),
                 _fact(facts, "mark", "%s|%s" % (CONSIDERED, CORRECTION)), _fact(facts, "replaces", _ID), "cognee")


def _fact(facts: dict, name: str, form: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) and re.fullmatch(form, value) else ""


def _date(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(seconds)) if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""
