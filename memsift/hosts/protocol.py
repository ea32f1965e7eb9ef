"""What the hosts' hook protocols have in common: the fields of every payload, and the JSON of an answer."""

from __future__ import annotations

import json

from memsift.event import OFF_THE_RECORD
from memsift.event import REQUEST
from memsift.event import Answer
from memsift.event import BadPayload
from memsift.event import Event
from memsift.event import field
from memsift.event import is_marked
from memsift.event import is_typed
from memsift.event import request

_OF_UUIDS = "0123456789abcdef-"

def event(host: str, moment: str, payload: dict, names: tuple[str, ...], turn_field: str) -> Event | None:
    """The event of a payload, without what only this host knows; None for a sub-agent's and for what nobody typed.

    `names`: what the host calls this moment. Raises BadPayload for another event's payload or one without a session.
    """
    name = field(payload, "hook_event_name")
    if name not in names:
        raise BadPayload("hook %s got the event %r" % (moment, name[:40]))
    if not field(payload, "session_id"):
        raise BadPayload("%s without session_id" % name)
    if payload.get("agent_id"):
        return None
    if moment == "prompt":
        moment = _moment(field(payload, "prompt"))
    if not moment:
        return None
    return Event(
        host, moment, identifier(field(payload, "session_id")), turn=identifier(field(payload, turn_field)),
        cwd=field(payload, "cwd"),
        transcript=field(payload, "transcript_path"), source=field(payload, "source") or field(payload, "reason"),
        prompt=field(payload, "prompt"), answer=field(payload, "last_assistant_message") if moment == "answer" else "",
    )


def _moment(prompt: str) -> str:
    """What a prompt is to memsift; "" for one that nobody typed."""
    if is_typed(prompt):
        return OFF_THE_RECORD if is_marked(prompt) else "prompt"
    return REQUEST if request(prompt) else ""


def identifier(id: str) -> str:
    """An id of the host's, as it may be written down: one that looks like a secret is replaced by its digest."""
    if not id.strip(_OF_UUIDS):
        return id  # what both hosts send
    from memsift import home
    from memsift import redact
    return id if redact.redact(id) == id else home.digest(id)


def output(moment: str, answer: Answer) -> str:
    """Context for the agent, only at a prompt, and a line for the user; "" for neither, since an empty context or an
    unknown field is not nothing to every host."""
    facts: dict = {}
    if answer.context and moment == "prompt":
        facts["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": answer.context}
    if answer.message:
        facts["systemMessage"] = answer.message
    return json.dumps(facts) if facts else ""
