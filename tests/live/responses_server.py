"""The model server that Codex talks to: the OpenAI Responses protocol."""

from __future__ import annotations

import json
from typing import Iterator

from tests.live.scripted_server import Reply
from tests.live.scripted_server import ScriptedServer
from tests.live.scripted_server import new_id


class ResponsesServer(ScriptedServer):
    """Answers POST /v1/responses. The tools that a reply can use are "shell" and "apply_patch"."""

    path = "/v1/responses"

    def kind(self, body: dict) -> str:
        said = texts(body)
        if said and said[-1][0] == "user" and "CONTEXT CHECKPOINT COMPACTION" in said[-1][1]:
            return "compaction"
        return "main" if body.get("tools") else "side"

    def whole(self, body: dict, reply: Reply) -> dict:
        return _response(new_id("resp_"), reply, _items(reply))

    def events(self, body: dict, reply: Reply) -> Iterator[dict]:
        identifier = new_id("resp_")
        items = _items(reply)
        yield {"type": "response.created", "response": {"id": identifier}}
        for index, item in enumerate(items):
            yield from _item_events(index, item, reply)
        yield {"type": "response.completed", "response": _response(identifier, reply, items)}


def texts(body: dict) -> list[tuple[str, str]]:
    """Every text of the conversation in a request, in order, as (role, text)."""
    return [(item["role"], part.get("text", ""))
            for item in body["input"] if item["type"] == "message" for part in item["content"]]


def _response(identifier: str, reply: Reply, items: list[dict]) -> dict:
    usage = {"input_tokens": reply.tokens, "output_tokens": 20, "total_tokens": reply.tokens + 20,
             "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {"id": identifier, "usage": usage, "output": items}


def _items(reply: Reply) -> list[dict]:
    items = []
    if reply.text:
        items.append({"type": "message", "role": "assistant", "id": new_id("msg_"),
                      "content": [{"type": "output_text", "text": reply.text}]})
    if reply.tool == "shell":
        items.append({"type": "function_call", "id": new_id("fc_"), "call_id": new_id("call_"),
                      "name": "exec_command", "arguments": json.dumps({"cmd": reply.input})})
    elif reply.tool:
        items.append({"type": "custom_tool_call", "id": new_id("ctc_"), "call_id": new_id("call_"),
                      "name": reply.tool, "input": reply.input})
    return items


def _item_events(index: int, item: dict, reply: Reply) -> Iterator[dict]:
    is_message = item["type"] == "message"
    yield {"type": "response.output_item.added", "output_index": index,
           "item": dict(item, content=[]) if is_message else item}
    if is_message:
        for piece in reply.pieces():
            yield {"type": "response.output_text.delta", "output_index": index, "item_id": item["id"],
                   "content_index": 0, "delta": piece}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}
