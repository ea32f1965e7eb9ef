"""Codex: its hook payloads, and what it accepts as an answer.

Measured with version 0.171.0; unknown fields and events are ignored.
"""

from __future__ import annotations

import re

from memsift.event import Answer
from memsift.event import Change
from memsift.event import Event
from memsift.event import field
from memsift.hosts import protocol

NAME = "codex"
KEEPS_GIVEN_IN_FLIGHT = False  # a compaction drops every hook's context, the running prompt's too
_EVENTS = {
    "session-start": ("SessionStart",),
    "prompt": ("UserPromptSubmit",),
    "tool": ("PostToolUse",),
    "answer": ("Stop",),
    "interrupt": ("Interrupt",),
    "session-end": ("SessionEnd",),
}
_PATCHED_FILE = r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$"


def read(moment: str, payload: dict) -> Event | None:
    """The event of a payload. Raises BadPayload."""
    event = protocol.event(NAME, moment, payload, _EVENTS[moment], "turn_id")
    if event is None or moment != "tool":
        return event
    event.change, event.tool_id = _change(payload), field(payload, "tool_use_id")
    return event if event.change else None


def _change(payload: dict) -> Change | None:
    tool, given = field(payload, "tool_name"), payload.get("tool_input")
    command = field(given, "command") if isinstance(given, dict) else ""
    if tool == "apply_patch":
        paths = re.findall(_PATCHED_FILE, command)
        return Change("edit", "\n".join(paths)) if paths else None
    # The payload has no exit code: it is in the rollout, which the moment reads.
    return Change("ran", command) if tool == "Bash" and command else None


def write(moment: str, answer: Answer) -> str:
    """What the hook prints."""
    return protocol.output(moment, answer)
