"""What is kept of a turn, decided from what the sorter answered. Nothing here reads, sends or writes."""

from __future__ import annotations

import re

from memsift.conversation import HEADER_START
from memsift.entry import CORRECTION
from memsift.entry import Entry
from memsift.home import digest
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.likeness import says_the_same
from memsift.likeness import words

LONGEST_NOTE = 400
_MOST_FILES = 5
_REWORDED_SHARE = 0.6  # the agent retells a note that it was given with so many of its words
_ECHO_SHARE = 0.5
# Not memory but an attempt to steer the agent: a note is data and is never shown as an order.
# Rules, prompts and messages are also what developers write about: only the agent's own ones make it an order.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,20}\b(?:previous|prior|above|earlier|preceding|your|all|any)\b"
    r"[^.]{0,20}\b(?:instruction|prompt|guideline)s?\b"
    r"|\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?(?:the |your )?(?:previous|prior|above|earlier|your)\b"
    r"[^.]{0,20}\b(?:rule|message)s?\b"
    r"|\bsystem[ -]reminder\b|\byou are now\b|\bfrom now on,? you\b|</?system\b", re.IGNORECASE)


class Outcome:
    """What became of a turn: the note kept, or None, and the reason in a few words."""

    __slots__ = ("note", "reason", "judgement")

    def __init__(self, note: Entry | None, reason: str, judgement: TurnJudgement | None = None) -> None:
        self.note = note
        self.reason = reason
        self.judgement = judgement

    def facts(self) -> dict:
        """The outcome as plain values for the log, without the text of the turn."""
        kinds = self.judgement.kinds if self.judgement else {}
        return {"kept": self.note.id if self.note else "", "reason": self.reason,
                "kinds": {kind: round(p, 3) for kind, p in kinds.items()},
                "sorter": self.judgement.sorter if self.judgement else ""}


def decide(judgement: TurnJudgement, thresholds: Thresholds, row: dict, known: list[Entry]) -> Outcome:
    """The outcome for a turn. `row`: its line of pending.jsonl. `known`: what memory holds that may be the same."""
    worth = judgement.kinds.get("keep", 0.0) + judgement.kinds.get(CORRECTION, 0.0)
    if worth < thresholds.keep:
        return Outcome(None, "taught nothing", judgement)
    known_words = [_as_shown(note) for note in known]
    # A correction may consist of the very words of the note that it replaces, and a return to an old choice of the
    # words of one that was replaced before: neither is a repetition.
    replaced = {note.replaces for note in known} | {judgement.replaces}
    standing = [_as_shown(note) for note in known if note.id not in replaced]
    prompts = [words(text) for said, text, _ in judgement.sentences if said == "developer"]
    usable = [sentence for sentence in dict.fromkeys(judgement.sentences)
              if _is_usable(sentence, known_words if sentence[0] == "agent" else standing)
              and not _is_echo(sentence, prompts)]
    if not usable:
        return Outcome(None, "nothing new or nothing fit to keep", judgement)
    carrying = [sentence for sentence in usable if sentence[2] >= thresholds.sentence]
    chosen = _within_length(carrying or [max(usable, key=lambda sentence: sentence[2])])
    text = " ".join(text for _, text, _ in chosen)
    if any(says_the_same(words(text), old) for old in standing):
        return Outcome(None, "already remembered", judgement)
    return Outcome(_note(text, chosen, judgement, row), "kept", judgement)


def _as_shown(note: Entry) -> set[str]:
    """The words of a note as the agent was given it: whoever copies its line has said nothing new."""
    return words(" ".join([note.id, note.date, note.text] + note.files))


def _is_usable(sentence: tuple[str, str, float], known: list[set[str]]) -> bool:
    """Whether a sentence is the speaker's own: no order to the agent, no block of memsift's, no note retold."""
    said, text, _ = sentence
    if HEADER_START in text or _ORDER.search(text):
        return False
    new = words(text)
    if said == "agent":
        return not any(says_the_same(new, old, _REWORDED_SHARE) for old in known)
    return bool(new) and not any(says_the_same(new, old) for old in known)


def _is_echo(sentence: tuple[str, str, float], prompts: list[set[str]]) -> bool:
    """Whether the agent only repeats what the developer has just said."""
    said, text, _ = sentence
    return said == "agent" and any(says_the_same(words(text), own, _ECHO_SHARE) for own in prompts)


def _within_length(sentences: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """The best sentences that fit into one note, in their own order."""
    room, kept = LONGEST_NOTE, []
    for sentence in sorted(sentences, key=lambda sentence: -sentence[2]):
        if len(sentence[1]) <= room:
            room -= len(sentence[1]) + 1
            kept.append(sentence)
    if kept:
        return [sentence for sentence in sentences if sentence in kept]
    said, text, score = max(sentences, key=lambda sentence: sentence[2])
    return [(said, text[:LONGEST_NOTE], score)]


def _note(text: str, sentences: list[tuple[str, str, float]], judgement: TurnJudgement, row: dict) -> Entry:
    kinds = judgement.kinds
    is_correction = kinds.get(CORRECTION, 0.0) > kinds.get("keep", 0.0)
    edited = [change["text"] for change in row.get("changes", ()) if change.get("what") == "edit"]
    return Entry(
        "k" + digest(row["id"], 9), row.get("date", ""), text, files=list(dict.fromkeys(edited))[:_MOST_FILES],
        said="developer" if any(said == "developer" for said, _, _ in sentences) else "agent",
        turn="%s/%s" % (row.get("session", ""), row.get("turn", "")),
        mark=CORRECTION if is_correction else "", replaces=judgement.replaces,
    )
