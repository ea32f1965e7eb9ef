"""Claude Code: its hook payloads, and what it accepts as an answer.

Measured with version 2.1.332; unknown fields and events are ignored.
"""

from __future__ import annotations

import json

from memsift.event import BadPayload
from memsift.event import Change
from memsift.event import Event
from memsift.event import field
from memsift.event import is_typed

NAME = "claude-code"
KEEPS_GIVEN_IN_FLIGHT = True
_EVENTS = {
    "session-start": ("SessionStart",),
    "prompt": ("UserPromptSubmit",),
    "tool": ("PostToolUse", "PostToolUseFailure"),
    "answer": ("Stop",),
    "interrupt": ("StopFailure",),
    "session-end": ("SessionEnd",),
}
EDITING_TOOLS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}


def read(moment: str, payload: dict) -> Event | None:
    """The event of a payload. Raises BadPayload for another event's payload or one without a session."""
    name = field(payload, "hook_event_name")
    if name not in _EVENTS[moment]:
        raise BadPayload("hook %s got the event %r" % (moment, name[:40]))
    if not field(payload, "session_id"):
        raise BadPayload("%s without session_id" % name)
    if payload.get("agent_id"):
        return None
    event = Event(
        NAME, moment, field(payload, "session_id"), turn=field(payload, "prompt_id"), cwd=field(payload, "cwd"),
        transcript=field(payload, "transcript_path"), source=field(payload, "source") or field(payload, "reason"),
        prompt=field(payload, "prompt"), answer=field(payload, "last_assistant_message") if moment == "answer" else "",
        change=_change(name, payload) if moment == "tool" else None,
    )
    if moment == "prompt" and not is_typed(event.prompt):
        return None
    return None if moment == "tool" and event.change is None else event


def _change(event_name: str, payload: dict) -> Change | None:
    tool, given = field(payload, "tool_name"), payload.get("tool_input")
    if not isinstance(given, dict):
        return None
    failed = event_name == "PostToolUseFailure"
    if failed and payload.get("is_interrupt"):
        return None
    if tool in EDITING_TOOLS:
        return None if failed else Change("edit", field(given, EDITING_TOOLS[tool]))
    if tool == "Bash" and field(given, "command"):
        return Change("failed" if failed else "passed", field(given, "command"))
    return None


def write(moment: str, answer: object) -> str:
    """The hook's output: context for the agent only at a prompt, a line for the user where the host shows it."""
    output: dict = {}
    if answer.context and moment == "prompt":
        output["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": answer.context}
    if answer.message:
        output["systemMessage"] = answer.message
    return json.dumps(output) if output else ""
