"""Codex's rollouts: one JSON object a line, written while the session goes on.

Measured with version 0.171.0; unknown record types are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memsift import tail
from memsift.conversation import HEADER_START
from memsift.conversation import Record
from memsift.event import Change
from memsift.event import field
from memsift.event import kind
from memsift.judgement import Message

# A line without any of these holds nothing that was said; looking for them is far cheaper than parsing it.
_WANTED = (b'"item_completed"', b'"task_started"', b'"hooks.additional_context"', b'"compacted"')
_COMMAND_OUTPUT = b'"aggregated_output"'
_LONGEST_COMMAND_RECORD = 100_000


def records(line: bytes) -> list[Record]:
    """What one line of a rollout says; the output of commands says nothing."""
    if not any(mark in line for mark in _WANTED):
        return []
    if len(line) > _LONGEST_COMMAND_RECORD and _COMMAND_OUTPUT in line:
        return []
    try:
        row = json.loads(line.decode("utf-8", "replace"), strict=False)
    except ValueError:
        return []  # half-written, or broken
    payload = row.get("payload") if isinstance(row, dict) else None
    if not isinstance(payload, dict):
        return []
    if row.get("type") == "compacted":
        return [_compaction(payload)]
    if row.get("type") == "response_item":
        return _given(payload)
    if payload.get("type") == "task_started":
        return [Record("begin", turn=field(payload, "turn_id"))]
    item = payload.get("item")
    return _item(item) if payload.get("type") == "item_completed" and isinstance(item, dict) else []


def parent(path: str) -> str:
    """The session that this one was forked from, or "". A fork's rollout names it and holds nothing else of it.

    Raises OSError.
    """
    line = next(tail.lines_forwards(path), b"")
    try:
        payload = json.loads(line.decode("utf-8", "replace"), strict=False)["payload"]
        return field(payload, "forked_from_id") if isinstance(payload, dict) else ""
    except (ValueError, KeyError, TypeError):
        return ""


def has_screen(path: str, environment: Mapping[str, str]) -> bool:
    """Whether a person sees what a hook says to the user: in the terminal program, but not in `codex exec`."""
    try:
        return b'"originator":"codex-tui"' in next(tail.lines_forwards(path), b"")[:4_000].replace(b": ", b":")
    except OSError:
        return False


def _item(item: dict) -> list[Record]:
    sort = item.get("type")
    if sort == "UserMessage":
        text = _joined(item.get("content"))
        return [Record(kind(text), text)] if kind(text) else []
    if sort == "AgentMessage":
        return [Record("answer", _joined(item.get("content")))]
    if sort == "FileChange" and isinstance(item.get("changes"), dict) and item.get("status") == "completed":
        return [Record("change", change=Change("edit", "\n".join(map(str, item["changes"]))))]
    if sort == "CommandExecution" and isinstance(item.get("command"), list) and item["command"]:
        what = "passed" if item.get("exit_code") == 0 else "failed"
        return [Record("change", change=Change(what, str(item["command"][-1])))]
    return []


def _given(payload: dict) -> list[Record]:
    text = _joined(payload.get("content"))
    given = payload.get("role") == "developer" and HEADER_START in text
    return [Record("given", text)] if given else []


def _compaction(payload: dict) -> Record:
    """User messages are kept in clear; the summary is clear or encrypted, by the kind of provider."""
    retained = payload.get("retained_context")
    users = retained.get("user_messages") if isinstance(retained, dict) else None
    texts = [field(user, "text") for user in users or () if isinstance(user, dict)]
    kept = [Message("developer", text) for text in texts if kind(text) != "kept-out"]
    if field(payload, "message"):
        kept.append(Message("summary", field(payload, "message")))
    return Record("compaction", kept=kept)


def _joined(content: object) -> str:
    if not isinstance(content, list):
        return ""
    return "\n".join(field(part, "text") for part in content if isinstance(part, dict))


def exit_code(line: bytes, tool_id: str) -> int | None:
    """The exit code of a command, if this line of a rollout is the one that records it."""
    if b'"CommandExecution"' not in line or tool_id.encode() not in line:
        return None
    try:
        item = json.loads(line.decode("utf-8", "replace"), strict=False)["payload"]["item"]
        return item["exit_code"] if item["id"] == tool_id and isinstance(item["exit_code"], int) else None
    except (ValueError, KeyError, TypeError):
        return None
