"""The model server that Claude Code talks to: the Anthropic Messages protocol."""

from __future__ import annotations

import json
from typing import Iterator

from tests.live.scripted_server import Reply
from tests.live.scripted_server import ScriptedServer
from tests.live.scripted_server import new_id


class MessagesServer(ScriptedServer):
    """Answers POST /v1/messages."""

    path = "/v1/messages"

    def kind(self, body: dict) -> str:
        if "Respond with TEXT ONLY" in _last_user_text(body):
            return "compaction"
        return "main" if body.get("tools") else "side"

    def whole(self, body: dict, reply: Reply) -> dict:
        blocks = _blocks(reply)
        return dict(_message(body, reply), content=blocks, stop_reason=_stop_reason(reply))

    def events(self, body: dict, reply: Reply) -> Iterator[dict]:
        message = _message(body, reply)
        yield {"type": "message_start", "message": message}
        for index, block in enumerate(_blocks(reply)):
            yield from _block_events(index, block, reply)
        yield {"type": "message_delta", "usage": message["usage"],
               "delta": {"stop_reason": _stop_reason(reply), "stop_sequence": None}}
        yield {"type": "message_stop"}


def texts(body: dict) -> list[tuple[str, str]]:
    """Every text of the conversation in a request, in order, as (role, text)."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            found.append((message["role"], content))
            continue
        found.extend((message["role"], block["text"]) for block in content if block["type"] == "text")
    return found


def _last_user_text(body: dict) -> str:
    said = [text for role, text in texts(body) if role == "user"]
    return said[-1] if said else ""


def _message(body: dict, reply: Reply) -> dict:
    usage = {"input_tokens": reply.tokens, "output_tokens": 20,
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": body["model"],
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _blocks(reply: Reply) -> list[dict]:
    blocks = []
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    if reply.tool:
        blocks.append({"type": "tool_use", "id": new_id("toolu_"), "name": reply.tool, "input": reply.input})
    return blocks


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if reply.tool else "end_turn"


def _block_events(index: int, block: dict, reply: Reply) -> Iterator[dict]:
    if block["type"] == "text":
        empty = dict(block, text="")
        deltas = ({"type": "text_delta", "text": piece} for piece in reply.pieces())
    else:
        empty = dict(block, input={})
        deltas = iter([{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}])
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
