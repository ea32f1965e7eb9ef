"""Claude Code: its hook payloads, and what it accepts as an answer.

Measured with version 2.1.332; unknown fields and events are ignored.
"""

from __future__ import annotations

from memsift.event import Answer
from memsift.event import Change
from memsift.event import Event
from memsift.event import field
from memsift.hosts import protocol

NAME = "claude-code"
KEEPS_GIVEN_IN_FLIGHT = True
EDITING_TOOLS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
_EVENTS = {
    "session-start": ("SessionStart",),
    "prompt": ("UserPromptSubmit",),
    "tool": ("PostToolUse", "PostToolUseFailure"),
    "answer": ("Stop",),
    "interrupt": ("StopFailure",),
    "session-end": ("SessionEnd",),
}


def read(moment: str, payload: dict) -> Event | None:
    """The event of a payload. Raises BadPayload."""
    event = protocol.event(NAME, moment, payload, _EVENTS[moment], "prompt_id")
    if event is None or moment != "tool":
        return event
    event.change = _change(field(payload, "hook_event_name"), payload)
    return event if event.change else None


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


def write(moment: str, answer: Answer) -> str:
    """What the hook prints."""
    return protocol.output(moment, answer)
