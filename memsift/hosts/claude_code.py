"""Claude Code: its hook payloads, what it accepts as an answer, and its transcripts.

Measured with version 2.1.332; unknown fields, events and record types are ignored.
"""

from __future__ import annotations

import json

from memsift.conversation import HEADER_START
from memsift.conversation import Record
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
_EDITING_TOOLS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
# A line without any of these holds nothing that was said; looking for them is far cheaper than parsing it.
_WANTED = (b'"message"', b'"hook_additional_context"', b'"queued_command"', b'"compact_boundary"')
_TOOL_RESULT = b'"toolUseResult"'
_INTERRUPTED = "[Request interrupted by user"


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
    if tool in _EDITING_TOOLS:
        return None if failed else Change("edit", field(given, _EDITING_TOOLS[tool]))
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


def records(line: bytes) -> list[Record]:
    """What one line of a transcript says; tool results and a sub-agent's lines say nothing."""
    if _TOOL_RESULT in line or not any(mark in line for mark in _WANTED):
        return []
    try:
        row = json.loads(line.decode("utf-8", "replace"), strict=False)
    except ValueError:
        return []  # half-written, or broken
    if not isinstance(row, dict) or row.get("isSidechain"):
        return []
    read_row = _ROWS.get(row.get("type"))
    return read_row(row) if read_row else []


def _user(row: dict) -> list[Record]:
    text = _text(row)
    if row.get("isCompactSummary"):
        return [Record("summary", text, id=field(row, "uuid"))]
    if row.get("isMeta") or text.startswith(_INTERRUPTED):
        return []
    begin = Record("begin", turn=field(row, "promptId"))  # also of a notification's or a command's turn
    if row.get("promptSource") not in ("typed", "sdk") or not is_typed(text):
        return [begin]
    return [begin, Record("prompt", text, id=field(row, "uuid"))]


def _assistant(row: dict) -> list[Record]:
    if row.get("isApiErrorMessage"):
        return []
    found = []
    for block in _blocks(row):
        if block.get("type") == "text":
            found.append(Record("answer", field(block, "text"), id=field(row, "uuid")))
        elif block.get("type") == "tool_use" and block.get("name") in _EDITING_TOOLS:
            path = field(block.get("input") or {}, _EDITING_TOOLS[block["name"]])
            found.append(Record("change", id=field(row, "uuid"), change=Change("edit", path)))
        elif block.get("type") == "tool_use" and block.get("name") == "Bash":
            command = field(block.get("input") or {}, "command")
            found.append(Record("change", id=field(row, "uuid"), change=Change("passed", command)))
    return found


def _attachment(row: dict) -> list[Record]:
    attachment = row.get("attachment")
    if not isinstance(attachment, dict):
        return []
    if attachment.get("type") == "hook_additional_context":
        content = attachment.get("content")
        text = "\n".join(part for part in content if isinstance(part, str)) if isinstance(content, list) else str(content)
        return [Record("given", text, id=field(row, "uuid"))] if HEADER_START in text else []
    origin = attachment.get("origin")
    typed = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt" \
        and (not isinstance(origin, dict) or origin.get("kind") == "human")
    text = _joined(attachment.get("prompt"))
    return [Record("prompt", text, id=field(row, "uuid"))] if typed and is_typed(text) else []


def _system(row: dict) -> list[Record]:
    if row.get("subtype") != "compact_boundary":
        return []
    metadata = row.get("compactMetadata")
    kept = metadata.get("preservedMessages") if isinstance(metadata, dict) else None
    ids = kept.get("allUuids") if isinstance(kept, dict) else None
    return [Record("compaction", kept_ids=[id for id in ids if isinstance(id, str)] if isinstance(ids, list) else ())]


_ROWS = {"user": _user, "assistant": _assistant, "attachment": _attachment, "system": _system}


def _blocks(row: dict) -> list[dict]:
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(row: dict) -> str:
    message = row.get("message")
    return _joined(message.get("content")) if isinstance(message, dict) else ""


def _joined(content: object) -> str:
    """Text of a message: a string, or the text blocks of a list (images and tool results are not text)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(field(part, "text") for part in content if isinstance(part, dict) and part.get("type") == "text")
