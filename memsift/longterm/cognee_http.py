"""One request to a Cognee server: its key, the redirects that are followed, and what its failures mean."""

from __future__ import annotations

import json
import time

from memsift.deadline import Deadline
from memsift.remote import place as places
from memsift.remote import service
from memsift.remote import transport
from memsift.remote.service import Failed

DATASETS = "/api/v1/datasets"  # what a key is tried on: 200 or 401, whatever else is wrong
LARGEST_LIST = 50_000_000
_LARGEST_ANSWER = 4_000_000
_MOST_REDIRECTS = 2
_REDIRECTS = (307, 308)  # the two that keep method and body
_OUT_OF_CREDITS = 402
_REFUSED = (401, 403)
_ABOUT_DATA = ("dataset", "nodata", "prerequisites")  # in a 404 of Cognee, unlike in one of a wrong address


class NotThere(Failed):
    """A matter of one dataset or document, not of the service: it does not exist, is empty, or is another user's."""


class Http:
    """A server and its key, which is sent nowhere else. Calls raise Failed, or NotThere."""

    __slots__ = ("_url", "_key")

    def __init__(self, url: str, key: str = "") -> None:
        self._url = url.strip().rstrip("/")
        self._key = key.strip()

    def json(self, method: str, path: str, deadline: Deadline, fields: dict | None = None,
             limit: int = _LARGEST_ANSWER) -> object:
        """Send these fields, if any, as JSON; what the answer means."""
        text = "" if fields is None else json.dumps(fields, ensure_ascii=False)
        body = text.encode("utf-8", "replace")  # half an emoji would hang the server
        return self.read(method, path, deadline, body, "application/json", limit)

    def read(self, method: str, path: str, deadline: Deadline, body: bytes, content: str,
             limit: int = _LARGEST_ANSWER) -> object:
        """Send a body of some type; what the JSON of the answer means."""
        started = time.monotonic()
        answer = self.call(method, path, deadline, body, content, limit).body
        meaning = service.parse(answer)
        if meaning is None and answer.strip() != b"null":
            raise Failed(200, "the answer is no JSON", None, time.monotonic() - started)
        return meaning

    def call(self, method: str, path: str, deadline: Deadline, body: bytes = b"", content: str = "",
             limit: int = _LARGEST_ANSWER) -> transport.Response:
        """The whole answer, if it tells of success."""
        started = time.monotonic()
        try:
            response = self._send(method, self._url + path, deadline, body, content, limit)
        except transport.NoAnswer as error:
            raise Failed(0, service.plain(str(error), self._key), None, time.monotonic() - started) from None
        if 200 <= response.status < 300:
            return response
        failed = self._failure(response, time.monotonic() - started)
        if failed.status in _REFUSED and path != DATASETS:
            self.call("GET", DATASETS, deadline, limit=LARGEST_LIST)  # raises if it is the key that is refused
            said = service.plain(_said(service.parse(response.body)) or "refused", self._key)
            raise NotThere(failed.status, said, None, failed.duration)
        raise failed

    def _send(self, method: str, url: str, deadline: Deadline, body: bytes, content: str,
              limit: int) -> transport.Response:
        headers = {"Accept": "application/json"}
        if content and body:
            headers["Content-Type"] = content
        if self._key:
            headers["X-Api-Key"] = self._key
        for _ in range(_MOST_REDIRECTS):
            response = transport.send(method, url, headers, body, deadline, limit)
            target = _follow(url, response) if response.status in _REDIRECTS else ""
            if not target:
                return response
            url = target
        return transport.send(method, url, headers, body, deadline, limit)

    def _failure(self, response: transport.Response, duration: float) -> Failed:
        content, status = service.parse(response.body), response.status
        said = _said(content) or service.fallback(status, response.reason)
        kind = Failed
        if status == 404:
            about = json.dumps(content).lower() if isinstance(content, dict) else ""
            if any(word in about for word in _ABOUT_DATA):
                kind = NotThere
            else:
                said = "no Cognee server is at this address (%s)" % said
        elif status in _REFUSED:
            said = ("it refuses the key (%s)" if self._key else "it wants a key, MEMSIFT_COGNEE_KEY (%s)") % said
        elif status == _OUT_OF_CREDITS:
            said = "the credits of this Cognee account are used up (%s)" % said
        return kind(status, service.plain(said, self._key), service.retry_after(response.headers), duration)


def _said(content: object) -> str:
    """What an error says of itself: Cognee's "error" is a general word, and what happened stands beside it."""
    said = [service.field(content, name) for name in ("error", "detail", "hint")]
    said = [each for each in said if isinstance(each, str) and each.strip()]
    return ": ".join(said) or service.message(content)


def _follow(url: str, response: transport.Response) -> str:
    """Where a redirect leads, "" where that is another server: the key goes to none but its own.

    A server behind a TLS proxy may take itself for one without: it is asked over TLS all the same.
    """
    location = response.headers.get("location", "")
    here = places.parse(url)
    there = places.parse(location) if "://" in location else here
    if here is None or there is None or there.user is not None or here.host != there.host:
        return ""
    if here.port != there.port and not (here.is_tls and (there.scheme, there.port) == ("http", 80)):
        return ""
    path = there.path if there is not here else location
    return "%s://%s%s" % (here.scheme, here.header, path) if path[:1] == "/" and path[:2] != "//" else ""
