"""The hosts' own records: a Claude Code transcript or a Codex rollout, read with the host modules."""

from __future__ import annotations

import json
import os
import re

from memsift import hosts
from memsift import tail
from memsift.conversation import Record
from memsift.replay.recording import COMMAND
from memsift.replay.recording import COMPACTION
from memsift.replay.recording import EDIT
from memsift.replay.recording import PROMPT
from memsift.replay.recording import SAID
from memsift.replay.recording import Recording
from memsift.replay.recording import Session
from memsift.replay.recording import Step
from memsift.replay.recording import Turn

_LINES_THAT_TELL = 200  # a host's own records come at once; a file without any among so many lines is none of its
_DATED = re.compile(r"\d{4}-\d\d-\d\dT")
_CODEX_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_CLAUDE_TYPES = ("user", "assistant", "attachment", "system", "summary", "queue-operation")


def host_of(path: str) -> str:
    """The name of the host that wrote this file, or "" where none of the known ones did. Raises OSError."""
    for number, line in enumerate(tail.lines_forwards(path)):
        row = _parse(line)
        if row.get("type") in _CODEX_TYPES and isinstance(row.get("payload"), dict):
            return "codex"
        if row.get("type") in _CLAUDE_TYPES and isinstance(row.get("sessionId"), str):
            return "claude-code"
        if number >= _LINES_THAT_TELL:
            break
    return ""


def read(path: str, host_name: str) -> Recording:
    """The one session in a host's file, without turns where nobody typed anything in it. Raises OSError."""
    host, collected = hosts.reader(host_name), _Turns()
    session = folder = began = day = ""
    for line in tail.lines_forwards(os.path.realpath(path)):
        found = host.records(line)
        if found or not (session and folder):
            row = _parse(line)
            session = session or _said_of_session(row, "id", "sessionId")
            folder = folder or _said_of_session(row, "cwd", "cwd").rstrip("/")
            day = _stamp(row)[:10] or day
            began = began or _stamp(row)
        for record in found:
            collected.take(record, day)
    session = Session(session or os.path.basename(path), host_name, collected.finished(folder))
    return Recording(path, os.path.basename(folder), [session], place=folder or path, began=began)


def _parse(line: bytes) -> dict:
    try:
        row = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _said_of_session(row: dict, codex_name: str, claude_name: str) -> str:
    """A fact about the whole session: Codex writes it once, Claude Code into every row."""
    meta = row.get("payload") if row.get("type") == "session_meta" else None
    found = meta.get(codex_name) if isinstance(meta, dict) else row.get(claude_name)
    return found if isinstance(found, str) else ""


def _stamp(row: dict) -> str:
    stamp = row.get("timestamp")
    return stamp if isinstance(stamp, str) and _DATED.match(stamp) else ""


class _Turns:
    """Gathers records into turns. A turn that nobody typed (a notification, a command of the host) is left out."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._seen: dict[str, int] = {}
        self._compaction: Step | None = None  # between turns it belongs to the next one

    def take(self, record: Record, day: str) -> None:
        if record.kind == "compaction":
            kept = [message for message in record.kept if message.role == "developer"]
            told = [message.text for message in record.kept if message.role == "summary"]
            self._compaction = Step(COMPACTION, "\n".join(told), kept=[message.text for message in kept])
        elif record.kind == "summary":
            if self._compaction:
                self._compaction.text = record.text
        elif record.kind == "begin":
            left = self._drop_untyped() + self._take_compaction()
            self._turns.append(Turn(self._unused(record.turn), day, left))
        elif self._turns:
            self._turns[-1].steps += self._take_compaction() + _steps(record)

    def finished(self, folder: str) -> list[Turn]:
        """The turns that somebody typed, with the files of the project named from its folder."""
        self._drop_untyped()
        for step in (step for turn in self._turns for step in turn.steps if step.kind == EDIT):
            if folder and step.text.startswith(folder + "/"):
                step.text = step.text[len(folder) + 1:]
        return self._turns

    def _drop_untyped(self) -> list[Step]:
        """Leave the last turn out if nobody typed it, but for the compactions in it."""
        if not self._turns or self._turns[-1].prompts:
            return []
        return [step for step in self._turns.pop().steps if step.kind == COMPACTION]

    def _take_compaction(self) -> list[Step]:
        waiting, self._compaction = self._compaction, None
        return [waiting] if waiting else []

    def _unused(self, id: str) -> str:
        """The id, with a number behind it where a fork of the session repeats it."""
        id = id or "turn"
        self._seen[id] = self._seen.get(id, 0) + 1
        return id if self._seen[id] == 1 else "%s-%d" % (id, self._seen[id])


def _steps(record: Record) -> list[Step]:
    if record.kind == "prompt":
        return [Step(PROMPT, record.text)]
    if record.kind == "answer":
        return [Step(SAID, record.text)] if record.text.strip() else []
    if record.kind != "change" or not record.change:
        return []
    if record.change.what == "edit":
        return [Step(EDIT, path) for path in record.change.text.split("\n") if path]
    return [Step(COMMAND, record.change.text, record.change.what != "failed")] if record.change.text else []
