"""What is kept of a turn, decided from what the sorter answered. Nothing here reads, sends or writes."""

from __future__ import annotations

from memsift import corrections
from memsift import doubt
from memsift import orders
from memsift.compaction.faithful import clashes
from memsift.compaction.faithful import tells_more
from memsift.conversation import HEADER_START
from memsift.entry import CONSIDERED
from memsift.entry import CORRECTION
from memsift.entry import DEAD_END
from memsift.entry import Entry
from memsift.home import digest
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.likeness import says_the_same
from memsift.likeness import words

LONGEST_NOTE = 400
MOST_NOTES = 2  # of one turn
BOTH = "both"  # who said a note that holds sentences of the developer and of the agent
_MOST_FILES = 5
_REWORDED_SHARE = 0.6  # the agent retells a note that it was given with so many of its words
_ECHO_SHARE = 0.5
_LONGEST_COMMAND = 120


class Outcome:
    """What became of a turn: the notes kept and the reason in a few words; `corrections`: what it did to those that
    waited, as they are now."""

    __slots__ = ("notes", "reason", "judgement", "corrections")

    def __init__(self, notes: list[Entry], reason: str, judgement: TurnJudgement | None = None,
                 corrections: list[Entry] | tuple[Entry, ...] = ()) -> None:
        self.notes = notes
        self.reason = reason
        self.judgement = judgement
        self.corrections = list(corrections)

    @property
    def note(self) -> Entry | None:
        """The first note, or None."""
        return self.notes[0] if self.notes else None

    def facts(self) -> dict:
        """The outcome as plain values for the log, without the text of the turn."""
        kinds = self.judgement.kinds if self.judgement else {}
        return {"kept": self.note.id if self.note else "", "reason": self.reason,
                "notes": [note.id for note in self.notes],
                "corrections": {note.id: note.mark or "expired" for note in self.corrections},
                "kinds": {kind: round(p, 3) for kind, p in kinds.items()},
                "sorter": self.judgement.sorter if self.judgement else ""}


def decide(judgement: TurnJudgement, thresholds: Thresholds, row: dict, known: list[Entry],
           taken_back: list[Entry] | tuple[Entry, ...] = ()) -> Outcome:
    """The outcome for a turn. `row`: its line of pending.jsonl. `known`: what memory holds that may be the same.
    `taken_back`: what was said in it to be wrong after all, and what that would have replaced."""
    worth = judgement.kinds.get("keep", 0.0) + judgement.kinds.get(CORRECTION, 0.0)
    if worth < thresholds.keep:
        return Outcome([], "taught nothing", judgement)
    known_as_shown = [_as_shown(note) for note in known]
    # A correction may consist of the very words of the note that it replaces, and a return to an old choice of the
    # words of one that was replaced before: neither is a repetition.
    replaced = {note.replaces for note in known} | {judgement.replaces}
    standing = [_as_shown(note) for note in known if note.id not in replaced]
    prompts = [words(text) for said, text, _ in judgement.sentences if said == "developer"]
    usable = [sentence for sentence in dict.fromkeys(judgement.sentences)
              if _is_usable(sentence, known_as_shown if sentence[0] == "agent" else standing)
              and not _is_echo(sentence, prompts)]
    if not usable:
        return Outcome([], "nothing new or nothing fit to keep", judgement)
    carrying = [sentence for sentence in usable if sentence[2] >= thresholds.sentence]
    groups = _short_notes(carrying or [max(usable, key=lambda sentence: sentence[2])])
    groups = [group for group in groups if not any(_repeats(_joined(group), old) for old in standing)]
    if not groups:
        return Outcome([], "already remembered", judgement)
    if taken_back and not tells_more(" ".join(map(_joined, groups)), [note.text for note in taken_back]):
        return Outcome([], "took a correction back", judgement)
    kept = [_note(number, group, judgement, row) for number, group in enumerate(groups)]
    return Outcome(_with_marks(kept, judgement, row, known), "kept", judgement)


def _as_shown(note: Entry) -> tuple[str, set[str]]:
    """A note as the agent was given it, and its words: whoever copies its line has said nothing new."""
    shown = " ".join([note.id, note.date, note.text] + note.files)
    return shown, words(shown)


def _repeats(text: str, known: tuple[str, set[str]]) -> bool:
    """Whether a text says nothing that a known note does not say, in any order that leaves its meaning as it is."""
    shown, old = known
    return says_the_same(words(text), old) and not clashes(text, shown)


def _is_usable(sentence: tuple[str, str, float], known: list[tuple[str, set[str]]]) -> bool:
    """Whether a sentence is the speaker's own: no order to the agent, no block of memsift's, no note retold."""
    said, text, _ = sentence
    if HEADER_START in text or orders.is_in(text):
        return False
    new = words(text)
    if said == "agent":
        return not any(says_the_same(new, old, _REWORDED_SHARE) for _, old in known)
    return bool(new) and not any(_repeats(text, old) for old in known)


def _is_echo(sentence: tuple[str, str, float], prompts: list[set[str]]) -> bool:
    """Whether the agent only repeats what the developer has just said."""
    said, text, _ = sentence
    return said == "agent" and any(says_the_same(words(text), own, _ECHO_SHARE) for own in prompts)


def _short_notes(sentences: list[tuple[str, str, float]]) -> list[list[tuple[str, str, float]]]:
    """The best sentences in their own order, as many to a note as may stand in one."""
    room, best = MOST_NOTES * LONGEST_NOTE, []
    for sentence in sorted(sentences, key=lambda sentence: -sentence[2]):
        if len(sentence[1]) <= min(room, LONGEST_NOTE):
            room -= len(sentence[1]) + 1
            best.append(sentence)
    if not best:
        said, text, score = max(sentences, key=lambda sentence: sentence[2])
        return [[(said, text[:LONGEST_NOTE], score)]]
    groups: list[list[tuple[str, str, float]]] = [[]]
    for sentence in (sentence for sentence in sentences if sentence in best):
        if groups[-1] and len(_joined(groups[-1])) + 1 + len(sentence[1]) > LONGEST_NOTE:
            groups.append([])
        groups[-1].append(sentence)
    return groups[:MOST_NOTES]


def _joined(sentences: list[tuple[str, str, float]]) -> str:
    return " ".join(text for _, text, _ in sentences)


def _note(number: int, sentences: list[tuple[str, str, float]], judgement: TurnJudgement, row: dict) -> Entry:
    """One of a turn's notes. What the correction replaces is named by the first."""
    speakers = {said for said, _, _ in sentences}
    edited = [change["text"] for change in row.get("changes", ()) if change.get("what") == "edit"]
    return Entry(
        "k" + digest("%s %d" % (row["id"], number) if number else row["id"], 9), row.get("date", ""), _joined(sentences),
        files=list(dict.fromkeys(edited))[:_MOST_FILES],
        said=BOTH if len(speakers) > 1 else speakers.pop(), turn="%s/%s" % (row.get("session", ""), row.get("turn", "")),
        replaces="" if number else judgement.replaces,
    )


def _with_marks(kept: list[Entry], judgement: TurnJudgement, row: dict, known: list[Entry]) -> list[Entry]:
    """What sort of notes they are: a correction, an option only considered, a dead end with its fix, or a choice that
    ends what was only considered."""
    if judgement.kinds.get(CORRECTION, 0.0) > judgement.kinds.get("keep", 0.0):
        return [corrections.begins(note, row) for note in kept]
    kept = [note.but(replaces="") for note in kept]
    typed = " ".join(text for said, text, _ in judgement.sentences if said == "developer")[-doubt.WHERE_IT_STANDS:]
    if doubt.is_in(typed):
        return [note.but(mark=CONSIDERED) for note in kept]
    fixed = [change.get("text", "") for change in row.get("changes", ()) if change.get("what") == "fixed"]
    if fixed:
        return [_dead_end(kept[0], fixed[-1])] + kept[1:]
    return [_deciding(kept[0], known)] + kept[1:]


def _dead_end(note: Entry, command: str) -> Entry:
    shown = command if len(command) <= _LONGEST_COMMAND else command[:_LONGEST_COMMAND - 1] + "\u2026"
    return note.but(mark=DEAD_END, text="%s (failed, then worked: %s)" % (note.text, shown))


def _deciding(note: Entry, known: list[Entry]) -> Entry:
    """The note, taking the place of the considered option on the same subject, if there is one."""
    replaced = {other.replaces for other in known}
    options = [option.id for option in known if option.mark == CONSIDERED and option.id not in replaced
               and doubt.settles(note.text, option.text)]
    return note.but(replaces=options[-1]) if options and note.said != "agent" else note
