"""What is remembered during a replay: what the sorter keeps, or what the labels say, beside the long-term entries."""

from __future__ import annotations

import os

from memsift import notes
from memsift.archive.archive import Archive
from memsift.entry import CORRECTION
from memsift.entry import Entry
from memsift.home import safe_name
from memsift.replay.baseline import Recall
from memsift.replay.recording import TAUGHT
from memsift.replay.recording import Recording
from memsift.replay.recording import Session
from memsift.replay.stage import Stage

OWN, GOLD = "own", "gold"


class Memory:
    """The notes and the archive of a stage. `recall` holds the same entries, for the baseline.

    `kept`: what the sorter kept, as notes, even where they do not serve as memory.
    """

    def __init__(self, stage: Stage, source: str) -> None:
        self._stage = stage
        self._source = source
        self._is_gold = False
        self._known: set[str] = set()
        self._turns: dict[str, str] = {}
        self.recall = Recall(os.path.join(stage.scratch, "recall.db"))
        self.kept: list[Entry] = []

    def open(self, recording: Recording) -> None:
        """Put the long-term entries of a recording in, before it is played. Without labels, memory is always own."""
        self._is_gold = self._source == GOLD and recording.is_labelled
        if recording.entries:
            Archive(self._stage.home.archive(self._stage.repository)).add(recording.entries)
        self.recall.add(recording.entries)
        if recording.is_labelled:
            self._turns.update(("%s/%s" % (safe_name(session.id), turn.id), turn.id)
                               for session in recording.sessions for turn in session.turns)
        self.kept = []

    def turn_of(self, note: Entry) -> str:
        """The labelled turn that a note was made from, or the host's name for it."""
        return self._turns.get(note.turn, note.turn)

    def names(self, ids: list[str]) -> list[str]:
        """The ids of entries as labels know them: a note made from a labelled turn goes by the id of the turn."""
        turns = {note.id: self._turns.get(note.turn) for note in self.kept}
        return [turns.get(id) or id for id in ids]

    def take_stock(self) -> None:
        """Notice what the worker kept since the last time; with gold memory it does not stay."""
        there = notes.load(self._stage.home, self._stage.repository)
        new = [note for note in there if note.id not in self._known]
        self.kept += new
        if self._is_gold:
            notes.remove(self._stage.home, self._stage.repository, {note.id for note in new})
        else:
            self._known.update(note.id for note in new)
            self.recall.add(new)

    def end_session(self, session: Session) -> None:
        """With gold memory, remember the facts of a session that is over."""
        if not self._is_gold:
            return
        facts = [Entry(turn.id, turn.day, turn.gold.fact, said="developer",
                       turn="%s/%s" % (safe_name(session.id), turn.id),
                       mark=CORRECTION if turn.gold.keep == CORRECTION else "", replaces=turn.gold.replaces)
                 for turn in session.turns if turn.gold and turn.gold.keep in TAUGHT and turn.gold.fact]
        self._known.update(fact.id for fact in facts)
        notes.append(self._stage.home, self._stage.repository, facts)
        self.recall.add(facts)
