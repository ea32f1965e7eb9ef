"""A model's answer about the notes, read with patience and checked with none.

What it may do: name notes to drop, notes to reword and notes to bring together. Whatever cannot be seen to be right is
refused, and the notes it is about stay as they are.
"""

from __future__ import annotations

import json

from memsift import orders
from memsift.compaction.compaction import Change
from memsift.compaction.faithful import fault
from memsift.compaction.faithful import keeps_all
from memsift.conversation import HEADER_START
from memsift.entry import REFUSED
from memsift.entry import Entry
from memsift.excerpt import one_line
from memsift.home import digest
from memsift.keeping import BOTH
from memsift.keeping import LONGEST_NOTE
from memsift.redact import redact

NO_MEMORY = "not memory"
LEAST_SHARE = 1 / 3  # of the characters that has to be left
MOST_REFUSED = 0.1  # of the notes, that a model may call no memory; one is always allowed
MOST_SOURCES = 8
_MOST_FILES = 5
_LISTS = ("replace", "add", "drop")


class Refused(Exception):
    """The whole answer is unusable; the message says why, for the log and for the one attempt at repair."""


def parse(text: str) -> dict:
    """The JSON object in a model's text, whatever it put around it. Raises Refused."""
    text = text.rpartition("</think>")[2]
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            found, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and set(found) & set(_LISTS):
            return _checked(found)
        start = text.find("{", start + 1)
    raise Refused("it holds no JSON object with replace, add and drop")


def _checked(answer: dict) -> dict:
    lists = {name: answer.get(name) or [] for name in _LISTS}
    for name, items in lists.items():
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Refused("%s is no list of objects" % name)
    return lists


def changes(answer: dict, offered: list[Entry], standing: list[Entry]) -> tuple[list[Change], list[str]]:
    """What of an answer may be done, and why the rest may not. Raises Refused for an answer that is absurd as a whole.

    `offered`: the notes that may be changed. `standing`: others, which may only be named as saying the same.
    """
    reading = _Reading(offered, standing)
    for item in answer["replace"]:
        reading.reword([item.get("id")], item.get("text"))
    for item in answer["add"]:
        sources = item.get("from")
        reading.reword(sources if isinstance(sources, list) else [], item.get("text"))
    for item in answer["drop"]:
        reading.drop(item.get("id"), item.get("because"))
    reading.check_as_a_whole()
    return reading.found, reading.refusals


class _Reading:
    """Goes through an answer; no note is named twice."""

    def __init__(self, offered: list[Entry], standing: list[Entry]) -> None:
        self.found: list[Change] = []
        self.refusals: list[str] = []
        self._offered = {note.id: note for note in offered}
        self._standing = {note.id: note for note in standing}
        self._gone: set[str] = set()
        self._stays: set[str] = set()  # what stands for a note that is dropped

    def reword(self, ids: list, text: object) -> None:
        """One text in the place of one note, or of several."""
        problem = self._bad_ids(ids) or _bad_text(text)
        sources = [] if problem else [self._offered[id] for id in ids]
        problem = problem or _bad_company(sources) or _bad_rewording(str(text), sources)
        if problem:
            self.refusals.append(problem)
            return
        self._gone.update(ids)
        if len(sources) > 1 or one_line(str(text)) != sources[0].text:
            self.found.append(_rewording(one_line(str(text)), sources))

    def drop(self, id: object, because: object) -> None:
        """A note that says nothing of its own, or is no memory."""
        problem = self._bad_ids([id])
        if problem:
            self.refusals.append(problem)
            return
        note = self._offered[id]
        if because in (None, "", NO_MEMORY):
            self._drop(Change([note.id], NO_MEMORY, archived=[note.but(mark=REFUSED)]))
            return
        other = self._offered.get(because) or self._standing.get(because) if isinstance(because, str) else None
        if other is None or other is note or because in self._gone:
            self.refusals.append("dropped for an unknown note")
            return
        self._stays.add(other.id)
        said_there = keeps_all(other.text, note.text) and other.mark == note.mark and not note.replaces
        self._drop(Change([note.id], "dropped", instead=other.id, archived=[] if said_there else [note]))

    def _drop(self, change: Change) -> None:
        self._gone.update(change.sources)
        self.found.append(change)

    def _bad_ids(self, ids: list) -> str:
        if not 1 <= len(ids) <= MOST_SOURCES:
            return "%d notes in one" % len(ids)
        if not all(isinstance(id, str) and id in self._offered for id in ids):
            return "an unknown note"
        if len(set(ids)) < len(ids) or (self._gone | self._stays) & set(ids):
            return "a note named twice"
        return ""

    def check_as_a_whole(self) -> None:
        """Raises Refused where too much would go."""
        no_memory = sum(change.why == NO_MEMORY for change in self.found)
        if no_memory > max(1, MOST_REFUSED * len(self._offered)):
            raise Refused("%d of %d notes would be no memory" % (no_memory, len(self._offered)))
        gone = {id for change in self.found for id in change.sources}
        before = sum(len(note.text) for note in self._offered.values())
        left = sum(len(note.text) for id, note in self._offered.items() if id not in gone)
        left += sum(len(change.entry.text) for change in self.found if change.entry)
        if gone and left < LEAST_SHARE * before:
            raise Refused("%d of %d characters would be left" % (left, before))


def _bad_text(text: object) -> str:
    if not isinstance(text, str) or not one_line(text):
        return "no text"
    if len(text) > 2 * LONGEST_NOTE:
        return "a text of %d characters" % len(text)
    if orders.is_in(text) or HEADER_START in text or "<!--" in text or redact(text) != text:
        return "a text that is no note"
    return ""


def _bad_company(sources: list[Entry]) -> str:
    """Notes of different sorts are not brought together: an option considered would become a choice."""
    if len({note.mark for note in sources}) > 1:
        return "notes of different sorts in one"
    return "notes that replace different ones in one" if len({note.replaces for note in sources}) > 1 else ""


def _bad_rewording(text: str, sources: list[Entry]) -> str:
    if len(text) > sum(len(note.text) + 1 for note in sources) + 20:
        return "longer than its sources"
    return fault(text, [note.text for note in sources])


def _rewording(text: str, sources: list[Entry]) -> Change:
    """The new note: under its source's id where it says as much, else under one of its own, with the source archived."""
    lost = [note for note in sources if not keeps_all(text, note.text)]
    ids = [note.id for note in sources]
    newest = max(sources, key=lambda note: note.date)
    said = {note.said for note in sources}
    names = dict.fromkeys(name for note in sources for name in note.files)
    is_same = len(sources) == 1 and not lost
    entry = newest.but(id=newest.id if is_same else "m" + digest("\n".join(ids + [text]), 9), text=text,
                       said=said.pop() if len(said) == 1 else BOTH, files=list(names)[:_MOST_FILES])
    return Change(ids, "reworded" if len(sources) == 1 else "brought together", entry, archived=lost)
