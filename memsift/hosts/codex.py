"""Codex: its hook payloads, and what it accepts as an answer.

Measured with version 0.171.0; unknown fields and events are ignored.
"""

from __future__ import annotations

import json
import re

from memsift.event import BadPayload
from memsift.event import Change
from memsift.event import Event
from memsift.event import field
from memsift.event import is_typed

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


def write(moment: str, answer: object) -> str:
    """The hook's output: an unknown field fails the whole hook, and empty context adds an empty message."""
    output: dict = {}
    if answer.context and moment == "prompt":
        output["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": answer.context}
    if answer.message:
        output["systemMessage"] = answer.message
    return json.dumps(output) if output else ""
