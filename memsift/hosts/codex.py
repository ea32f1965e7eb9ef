"""Codex: its hook payloads, what it accepts as an answer, and its rollouts.

Measured with version 0.171.0; unknown fields, events and record types are ignored.
"""

from __future__ import annotations

import json
import re

from memsift.conversation import HEADER_START
from memsift.conversation import Record
from memsift.event import BadPayload
from memsift.event import Change
from memsift.event import Event
from memsift.event import field
from memsift.event import is_typed
from memsift.judgement import Message

NAME = "codex"
KEEPS_GIVEN_IN_FLIGHT = False  # a compaction drops every hook's context, the running prompt's too
_EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "tool": "PostToolUse",
    "answer": "Stop",
    "interrupt": "Interrupt",
    "session-end": "SessionEnd",
}
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
# A line without any of these holds nothing that was said; looking for them is far cheaper than parsing it.
_WANTED = (b'"item_completed"', b'"task_started"', b'"hooks.additional_context"', b'"compacted"')
_COMMAND_OUTPUT = b'"aggregated_output"'
_LONGEST_COMMAND_RECORD = 100_000


def read(moment: str, payload: dict) -> Event | None:
    """The event of a payload. Raises BadPayload for another event's payload or one without a session."""
    name = field(payload, "hook_event_name")
    if name != _EVENTS[moment]:
        raise BadPayload("hook %s got the event %r" % (moment, name[:40]))
    if not field(payload, "session_id"):
        raise BadPayload("%s without session_id" % name)
    if payload.get("agent_id"):
        return None
    event = Event(
        NAME, moment, field(payload, "session_id"), turn=field(payload, "turn_id"), cwd=field(payload, "cwd"),
        transcript=field(payload, "transcript_path"), source=field(payload, "source") or field(payload, "reason"),
        prompt=field(payload, "prompt"), answer=field(payload, "last_assistant_message") if moment == "answer" else "",
        change=_change(payload) if moment == "tool" else None, tool_id=field(payload, "tool_use_id"),
    )
    if moment == "prompt" and not is_typed(event.prompt):
        return None
    return None if moment == "tool" and event.change is None else event


def _change(payload: dict) -> Change | None:
    tool, given = field(payload, "tool_name"), payload.get("tool_input")
    command = field(given, "command") if isinstance(given, dict) else ""
    if tool == "apply_patch":
        paths = [added or moved for added, moved in _PATCHED_FILE.findall(command)]
        return Change("edit", "\n".join(paths)) if paths else None
    # The payload has no exit code: it is in the rollout, which the moment reads where it matters.
    return Change("ran", command) if tool == "Bash" and command else None


def exit_code(line: bytes, tool_id: str) -> int | None:
    """The exit code of a command, if this line of a rollout is the one that records it."""
    if b'"CommandExecution"' not in line or tool_id.encode() not in line:
        return None
    try:
        item = json.loads(line.decode("utf-8", "replace"), strict=False)["payload"]["item"]
        return item["exit_code"] if item["id"] == tool_id and isinstance(item["exit_code"], int) else None
    except (ValueError, KeyError, TypeError):
        return None


def write(moment: str, answer: object) -> str:
    """The hook's output: an unknown field fails the whole hook, and empty context adds an empty message."""
    output: dict = {}
    if answer.context and moment == "prompt":
        output["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": answer.context}
    if answer.message:
        output["systemMessage"] = answer.message
    return json.dumps(output) if output else ""


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


def _item(item: dict) -> list[Record]:
    kind = item.get("type")
    if kind == "UserMessage":
        text = _joined(item.get("content"))
        return [Record("prompt", text)] if is_typed(text) else []
    if kind == "AgentMessage":
        return [Record("answer", _joined(item.get("content")))]
    if kind == "FileChange" and isinstance(item.get("changes"), dict) and item.get("status") == "completed":
        return [Record("change", change=Change("edit", "\n".join(map(str, item["changes"]))))]
    if kind == "CommandExecution" and isinstance(item.get("command"), list) and item["command"]:
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
    kept = [Message("developer", field(user, "text")) for user in users or () if isinstance(user, dict)]
    if field(payload, "message"):
        kept.append(Message("summary", field(payload, "message")))
    return Record("compaction", kept=kept)


def _joined(content: object) -> str:
    if not isinstance(content, list):
        return ""
    return "\n".join(field(part, "text") for part in content if isinstance(part, dict))
