"""Claude Code's transcripts: one JSON object a line, written while the session goes on.

Measured with version 2.1.332; unknown record types are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memsift.conversation import HEADER_START
from memsift.conversation import Record
from memsift.event import Change
from memsift.event import field
from memsift.event import kind
from memsift.hosts.claude_code import EDITING_TOOLS

# A line without any of these holds nothing that was said; looking for them is far cheaper than parsing it.
_WANTED = (b'"message"', b'"hook_additional_context"', b'"queued_command"', b'"compact_boundary"')
_TOOL_RESULT = b'"toolUseResult"'
_INTERRUPTED = "[Request interrupted by user"


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


def parent(path: str) -> str:
    """The session that this one was forked from: never known, but the transcript soon holds a copy of it."""
    return ""


def has_screen(path: str, environment: Mapping[str, str]) -> bool:
    """Whether a person sees what a hook says to the user: in the terminal program, but not in `claude -p`."""
    return environment.get("CLAUDE_CODE_ENTRYPOINT") == "cli"


def _user(row: dict) -> list[Record]:
    text = _text(row)
    if row.get("isCompactSummary"):
        return [Record("summary", text, id=field(row, "uuid"))]
    if row.get("isMeta") or text.startswith(_INTERRUPTED):
        return []
    begin = Record("begin", turn=field(row, "promptId"))  # also of a notification's or a command's turn
    sort = kind(_command(text) or text)
    if sort == "prompt" and row.get("promptSource") in (None, "system"):  # "typed", "sdk", "queued": a person
        return [begin]
    return [begin, Record(sort, text, id=field(row, "uuid"))] if sort else [begin]


def _command(text: str) -> str:
    """What was typed, of a command that the host has written down in its own form."""
    if not text.startswith(("<command-message>", "<command-name>")):
        return ""
    return text.partition("<command-name>")[2].partition("</command-name>")[0]


def _assistant(row: dict) -> list[Record]:
    if row.get("isApiErrorMessage"):
        return []
    found = []
    for block in _blocks(row):
        if block.get("type") == "text":
            found.append(Record("answer", field(block, "text"), id=field(row, "uuid")))
        elif block.get("type") == "tool_use" and block.get("name") in EDITING_TOOLS:
            path = field(block.get("input") or {}, EDITING_TOOLS[block["name"]])
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
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(part for part in parts if isinstance(part, str))
        return [Record("given", text, id=field(row, "uuid"))] if HEADER_START in text else []
    origin = attachment.get("origin")
    typed = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt" \
        and (not isinstance(origin, dict) or origin.get("kind") == "human")
    text = _joined(attachment.get("prompt"))
    return [Record(kind(text), text, id=field(row, "uuid"))] if typed and kind(text) else []


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
