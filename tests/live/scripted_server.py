"""A model server on loopback that answers from a script and keeps every request on record."""

from __future__ import annotations

import collections
import dataclasses
import http.server
import json
import threading
import time
import uuid
from typing import Iterator

SUMMARY = "<summary>\nThe developer and the agent worked on acme-shop. Nothing is left open.\n</summary>"


@dataclasses.dataclass
class Reply:
    """What the model answers to one request: a text, one tool call, or both.

    `delay` seconds pass before the first byte, `pace` seconds between two words; `tokens` is the size of
    the request that the server claims to have read, which is what makes a host compact on its own.
    """

    text: str = ""
    tool: str = ""
    input: object = None
    delay: float = 0.0
    pace: float = 0.0
    tokens: int = 1000

    def pieces(self) -> Iterator[str]:
        """The text in the pieces in which it is streamed."""
        if not self.pace:
            yield self.text
            return
        for word in self.text.split(" "):
            yield word + " "
            time.sleep(self.pace)


@dataclasses.dataclass
class Request:
    """One request that the host made; kind is "main", "compaction" or "side"."""

    kind: str
    body: dict


class ScriptedServer:
    """Serves the replies of `script` in order to main requests; side requests never use one up."""

    path = ""

    def __init__(self) -> None:
        self.replies = collections.deque()
        self.requests = []
        self.lock = threading.Lock()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.http.daemon_threads = True
        self.http.owner = self
        self.address = "http://127.0.0.1:%d" % self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def script(self, *replies: Reply | str) -> None:
        """Replace what is left of the script; a plain string is a plain answer."""
        with self.lock:
            self.replies.clear()
            self.replies.extend(Reply(text=each) if isinstance(each, str) else each for each in replies)

    def bodies(self, kind: str = "main") -> list[dict]:
        """The bodies of the requests of one kind so far, in order."""
        with self.lock:
            return [request.body for request in self.requests if request.kind == kind]

    def take(self, body: dict) -> Reply:
        """Put a request on record and choose its reply."""
        kind = self.kind(body)
        with self.lock:
            self.requests.append(Request(kind, body))
            if kind == "compaction":
                return Reply(text=SUMMARY)
            if kind == "side" or not self.replies:
                return Reply(text="OK.")
            return self.replies.popleft()

    def forget(self) -> None:
        """Be as if nothing had been scripted or asked."""
        with self.lock:
            self.replies.clear()
            self.requests.clear()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def kind(self, body: dict) -> str:
        """Which kind of request this is."""
        raise NotImplementedError

    def events(self, body: dict, reply: Reply) -> Iterator[dict]:
        """The reply as the server-sent events of this protocol, each a dict with its "type"."""
        raise NotImplementedError

    def whole(self, body: dict, reply: Reply) -> dict:
        """The reply as one object, for requests that do not stream."""
        raise NotImplementedError


def new_id(prefix: str) -> str:
    """An identifier in the manner of the model services."""
    return prefix + uuid.uuid4().hex[:20]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send({})

    def do_GET(self) -> None:
        self._send({"data": [], "models": []})

    def do_POST(self) -> None:
        owner = self.server.owner
        raw = self._read()
        if self.path.split("?")[0] != owner.path:
            self._send({"input_tokens": len(raw) // 4})
            return
        body = json.loads(raw)
        reply = owner.take(body)
        time.sleep(reply.delay)
        if body.get("stream"):
            self._stream(owner.events(body, reply))
        else:
            self._send(owner.whole(body, reply))

    def _read(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            parts.append(self.rfile.read(size))
            self.rfile.readline()
            if not size:
                return b"".join(parts)

    def _send(self, answer: dict) -> None:
        data = json.dumps(answer).encode("utf-8")
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[dict]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for event in events:
                self.wfile.write(b"event: %s\ndata: %s\n\n" % (
                    event["type"].encode("utf-8"), json.dumps(event).encode("utf-8")))
                self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            # The host went away: the turn was interrupted.
            pass
