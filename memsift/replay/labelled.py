"""Labelled conversations: one JSON object with the sessions of a project and what is expected of each turn."""

from __future__ import annotations

import re

from memsift.entry import Entry
from memsift.replay.recording import COMMAND
from memsift.replay.recording import EDIT
from memsift.replay.recording import PROMPT
from memsift.replay.recording import SAID
from memsift.replay.recording import BadRecording
from memsift.replay.recording import Gold
from memsift.replay.recording import Recording
from memsift.replay.recording import Session
from memsift.replay.recording import Step
from memsift.replay.recording import Turn

_HOSTS = {"claude": "claude-code", "claude-code": "claude-code", "codex": "codex"}
_EDITING_TOOLS = ("Edit", "Write", "NotebookEdit", "MultiEdit")
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)\s*:\s*(?=\S)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$")
_DAY = re.compile(r"\d{4}-\d\d-\d\d$")


def read(path: str, conversation: dict) -> Recording:
    """The recording that a conversation describes. Raises BadRecording, saying where it is not as it should be."""
    reader = _Reader(path)
    sessions = [reader.session(row, "session %d" % number)
                for number, row in enumerate(reader.rows(conversation, "sessions", "the file"), 1)]
    entries = [reader.entry(row, "cognee entry %d" % number)
               for number, row in enumerate(reader.rows(conversation, "cognee", "the file", optional=True), 1)]
    project = conversation.get("project")
    name = project.get("name") if isinstance(project, dict) else project
    recording = Recording(path, name if isinstance(name, str) else "", sessions, entries=entries)
    reader.check_ids([session.id for session in sessions])
    reader.check_ids([turn.id for turn in recording.turns] + [entry.id for entry in entries])
    return recording


class _Reader:
    """Reads the parts of one file; every complaint names the file and the part."""

    def __init__(self, path: str) -> None:
        self.path = path

    def fail(self, where: str, problem: str) -> None:
        raise BadRecording("%s: %s: %s" % (self.path, where, problem))

    def rows(self, row: dict, name: str, where: str, optional: bool = False) -> list[dict]:
        found = row.get(name, [] if optional else None)
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            self.fail(where, "%r must be a list of objects" % name)
        return found

    def text(self, row: dict, name: str, where: str, optional: bool = False) -> str:
        found = row.get(name, "" if optional else None)
        if not isinstance(found, str) or not (found.strip() or optional):
            self.fail(where, "%r must be a text" % name)
        return found

    def check_ids(self, ids: list[str]) -> None:
        seen: set[str] = set()
        for id in ids:
            if not _ID.match(id):
                self.fail("the file", "the id %r must be letters, digits, '.', '_' or '-'" % id)
            if id in seen:
                self.fail("the file", "the id %r stands there twice" % id)
            seen.add(id)

    def entry(self, row: dict, where: str) -> Entry:
        """A long-term entry; the date that its text begins with is its date."""
        text = self.text(row, "text", where)
        dated = _DATED.match(text)
        return Entry(self.text(row, "id", where), dated.group(1) if dated else "", text[dated.end() if dated else 0:],
                     place="archive")

    def session(self, row: dict, where: str) -> Session:
        host, day = self.text(row, "host", where), self.text(row, "day", where)
        if host not in _HOSTS:
            self.fail(where, "the host %r is not one of: claude, codex" % host)
        if not _DAY.match(day):
            self.fail(where, "the day %r is no date like 2026-03-02" % day)
        turns = [self.turn(turn, "%s, turn %d" % (where, number), day)
                 for number, turn in enumerate(self.rows(row, "turns", where), 1)]
        return Session(self.text(row, "id", where), _HOSTS[host], turns)

    def turn(self, row: dict, where: str, day: str) -> Turn:
        steps = [Step(PROMPT, self.text(row, "prompt", where))]
        for tool in self.rows(row, "tools", where, optional=True):
            steps += self.tool(tool, where)
        answer = self.text(row, "answer", where, optional=True)
        steps += [Step(SAID, answer)] if answer else []
        return Turn(self.text(row, "id", where), day, steps, self.gold(row.get("gold"), where))

    def tool(self, row: dict, where: str) -> list[Step]:
        """The step of a tool that changes something; none for one that only looks."""
        name = self.text(row, "tool", where)
        if name in _EDITING_TOOLS:
            return [Step(EDIT, self.text(row, "file", where))]
        if name == "Bash":
            return [Step(COMMAND, self.text(row, "command", where), row.get("ok", True) is True,
                         self.text(row, "output", where, optional=True))]
        return []

    def gold(self, row: object, where: str) -> Gold | None:
        if row is None:
            return None
        if not isinstance(row, dict):
            self.fail(where, "'gold' must be an object")
        needs = row.get("needs", [])
        if not isinstance(needs, list) or not all(isinstance(id, str) for id in needs):
            self.fail(where, "'needs' must be a list of ids")
        kind, keep, fact, replaces = (self.text(row, name, where, optional=True)
                                      for name in ("kind", "turn", "fact", "replaces"))
        return Gold(kind, needs, keep or "nothing", fact, replaces)
