"""Plays a recording on a stage, step by step, as the host would have lived through it."""

from __future__ import annotations

import time
from collections.abc import Callable

from memsift import block
from memsift import conversation
from memsift.entry import Entry
from memsift.home import safe_name
from memsift.replay.claude_code import ClaudeCode
from memsift.replay.codex import Codex
from memsift.replay.memory import Memory
from memsift.replay.recording import COMMAND
from memsift.replay.recording import COMPACTION
from memsift.replay.recording import EDIT
from memsift.replay.recording import PROMPT
from memsift.replay.recording import SAID
from memsift.replay.recording import Recording
from memsift.replay.recording import Session
from memsift.replay.recording import Step
from memsift.replay.recording import Turn
from memsift.replay.stage import Stage

SIFTED, RECALLED = "local", "none"  # the two ways to answer a prompt, as --sorter names them
_HOSTS = {host.NAME: host for host in (ClaudeCode, Codex)}


class Outcome:
    """What one prompt got: the `context` added, the names of the entries in it, and the time that it took."""

    __slots__ = ("turn", "prompt", "kind", "context", "added", "wait_ms")

    def __init__(self, turn: Turn, prompt: str, kind: str, context: str, added: list[str], wait_ms: float) -> None:
        self.turn = turn
        self.prompt = prompt
        self.kind = kind
        self.context = context
        self.added = added
        self.wait_ms = wait_ms


class Played:
    """A recording, what each way gave each of its prompts, and what was kept of its turns."""

    __slots__ = ("recording", "outcomes", "kept", "kept_turns")

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.outcomes: dict[str, list[Outcome]] = {SIFTED: [], RECALLED: []}
        self.kept: list[Entry] = []
        self.kept_turns: set[str] = set()


class Player:
    """Plays recordings on one stage, one after another: later ones find what earlier ones left in memory.

    Each prompt is answered both ways on the same memory; the one named `way` is what the agent then sees.
    `progress` is told the path, the prompts played and their number.
    """

    def __init__(self, stage: Stage, memory: Memory, way: str,
                 progress: Callable[[str, int, int], None] = lambda path, done, total: None) -> None:
        self._stage = stage
        self._memory = memory
        self._way = way
        self._progress = progress
        self._steps = {PROMPT: self._prompt, SAID: self._say, EDIT: self._use_tool, COMMAND: self._use_tool,
                       COMPACTION: self._compact}

    def play(self, recording: Recording) -> Played:
        """Every session of a recording."""
        self._played = Played(recording)
        self._prompts = recording.count_prompts()
        self._memory.open(recording)
        for session in recording.sessions:
            self._session(session)
        self._played.kept = self._memory.kept
        self._played.kept_turns = {self._memory.turn_of(note) for note in self._memory.kept}
        return self._played

    def _session(self, session: Session) -> None:
        self._host = _HOSTS[session.host](self._stage.transcripts, safe_name(session.id), self._stage.project)
        self._stage.day = session.turns[0].day if session.turns else ""
        self._call("session-start", self._host.starts("startup"))
        for turn in session.turns:
            self._turn(turn)
        self._call("session-end", self._host.ends())
        self._memory.end_session(session)
        self._stage.compact()

    def _turn(self, turn: Turn) -> None:
        self._stage.day = turn.day
        for step in turn.steps:
            self._steps[step.kind](turn, step)
        if turn.answer:
            self._call("answer", self._host.answers(turn.id, turn.answer))
        else:
            self._call("interrupt", self._host.breaks_off(turn.id))

    def _call(self, moment: str, payload: dict | None) -> None:
        """A hook that nobody waits for, and the worker after it."""
        if payload is not None:
            self._stage.hook(self._host.NAME, moment, payload)
        self._stage.sort_turns()
        self._memory.take_stock()

    def _prompt(self, turn: Turn, step: Step) -> None:
        recalled = self._recall(turn, step.text)
        answered = self._stage.hook(self._host.NAME, "prompt", self._host.prompts(turn.id, step.text))
        ids = conversation.given_ids(answered.context)
        sifted = Outcome(turn, step.text, answered.kind, answered.context, self._memory.names(ids),
                         answered.milliseconds)
        self._played.outcomes[SIFTED].append(sifted)
        self._played.outcomes[RECALLED].append(recalled)
        seen = sifted if self._way == SIFTED else recalled
        self._host.write_prompt(turn.id, step.text, seen.context)
        self._progress(self._played.recording.path, len(self._played.outcomes[SIFTED]), self._prompts)

    def _recall(self, turn: Turn, prompt: str) -> Outcome:
        started = time.perf_counter()
        found = self._memory.recall.closest(prompt)
        context = block.render(found)
        spent = (time.perf_counter() - started) * 1000
        return Outcome(turn, prompt, "", context, self._memory.names([entry.id for entry in found]), spent)

    def _say(self, turn: Turn, step: Step) -> None:
        self._host.write_said(step.text)

    def _use_tool(self, turn: Turn, step: Step) -> None:
        payload = self._host.uses_tool(turn.id, step)
        if payload is not None:
            self._stage.hook(self._host.NAME, "tool", payload)

    def _compact(self, turn: Turn, step: Step) -> None:
        self._host.write_compaction(step)
        is_under_way = turn.steps[0] is not step
        self._call("session-start", self._host.starts("compact", turn.id if is_under_way else ""))
