"""What all remote services share: how a call of one fails, and what its answer says about that in one plain line."""

from __future__ import annotations

import json
import sys
import time

from memsift.deadline import Deadline

_LONGEST_MESSAGE = 300
_LONGEST_RAW_MESSAGE = 5_000


class Failed(Exception):
    """The service gave no usable answer.

    status: the HTTP status, or the one that an answer reports of itself; 0 when there was no answer at all.
    retry_after: seconds that the service asks to wait, or None. duration: seconds that this took.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None, duration: float = 0.0) -> None:
        super().__init__(status, message, retry_after, duration)
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.duration = duration

    def __str__(self) -> str:
        return "status=%d duration=%.3f %s" % (self.status, self.duration, self.message)


def post(url: str, key: str, body: bytes, deadline: Deadline) -> tuple[object, float]:
    """Send JSON, with the key if there is one; what came back, of any status, and in how many seconds. Raises Failed."""
    from memsift.remote import transport  # a service that is only looked at, paused or not, needs no sockets
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = "Bearer " + key
    started = time.monotonic()
    try:
        response = transport.post(url, headers, body, deadline)
    except transport.NoAnswer as error:
        raise Failed(0, plain(str(error), key), None, time.monotonic() - started) from None
    return response, time.monotonic() - started


def parse(body: bytes) -> object:
    """What a body means as JSON; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def plain(text: str, key: str = "") -> str:
    """One line of at most 300 characters without secrets, this service's own key among them."""
    from memsift import redact
    text = text[:_LONGEST_RAW_MESSAGE]
    if key:
        text = text.replace(key, redact.MARKER)
    text = "".join(character if character.isprintable() else " " for character in redact.redact(text))
    return " ".join(text.split())[:_LONGEST_MESSAGE]


def message(content: object) -> str:
    """The error that an answer tells, in any of the shapes that services give it; "" where it tells none."""
    error, detail = field(content, "error"), field(content, "detail")
    places = [error, field(error, "message"), field(content, "message"), detail, field(detail, "message")]
    if isinstance(detail, list):
        places.append("; ".join(each for each in (field(item, "msg") for item in detail) if isinstance(each, str)))
    return next((place for place in places if isinstance(place, str) and place.strip()), "")


def fallback(status: int, reason: str) -> str:
    """What to say of a failure that says nothing itself but its status and the reason in its first line."""
    if 300 <= status < 400:
        return "the service redirects elsewhere, which is not followed"
    return reason or "no reason given"


def field(value: object, name: str) -> object:
    """A field of a JSON object; None where it is missing or the value is no object."""
    return value.get(name) if isinstance(value, dict) else None


def is_amount(value: object) -> bool:
    """Whether this is a number that is not negative; infinity and what is not a number at all compare false."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


def retry_after(headers: dict[str, str]) -> float | None:
    """Seconds to wait, from any of the forms that they come in; None where there is nothing usable."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            amount = float(headers.get(name, ""))
        except ValueError:
            continue
        if is_amount(amount):
            return amount / unit
    return _until(headers["retry-after"]) if "retry-after" in headers else None


def _until(date: str) -> float | None:
    from email import utils  # rarely is the wait told as a date
    parsed = utils.parsedate_tz(date)
    try:
        return max(0.0, utils.mktime_tz(parsed) - time.time()) if parsed else None
    except (ValueError, OverflowError):
        return None
