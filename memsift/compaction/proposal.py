"""What the compactor proposes to do with the notes: asked once, once more after an unusable answer, and checked.

It is a service like the others: its failures count, and while it is paused it is not called.
"""

from __future__ import annotations

from memsift.compaction import compaction_answer
from memsift.compaction import compactor
from memsift.compaction.compaction import Change
from memsift.deadline import Deadline
from memsift.entry import PENDING
from memsift.entry import RULE
from memsift.entry import Entry
from memsift.redact import redact
from memsift.remote.guard import Guard
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed
from memsift.runtime import Runtime

AREA = "core-compaction"
_MOST_TOLD = 20


def ask(draft: list[Entry], digest: list[Entry], found: list[Entry], runtime: Runtime) -> tuple[list[Change], dict]:
    """The changes that may be made, and what to tell the log; none where no compactor is set, or it fails.

    `draft`: what may be changed. `digest`: what may only be named. `found`: all notes there are.
    """
    waiting = {note.replaces for note in found if note.mark == PENDING}
    offered = [note for note in draft if may_be_offered(note, waiting)]
    standing = [note for note in digest if redact(note.text) == note.text]
    chat = compactor.client(runtime.settings)
    guard = Guard(compactor.SERVICE, Pauses(runtime.home.state), runtime.log)
    if chat is None or len(offered) < 2 or guard.pause():
        return [], {"compactor": ""}
    try:
        return _ask(chat, guard, offered, standing, runtime.deadline.within(compactor.SECONDS))
    except Failed as error:
        guard.failed(AREA, error)
        return [], {"compactor": "failed"}


def _ask(chat: compactor.Compactor, guard: Guard, offered: list[Entry], standing: list[Entry],
         deadline: Deadline) -> tuple[list[Change], dict]:
    messages = compactor.request(offered, standing)
    problem = ""
    for _ in range(2):
        reply = chat.chat(messages, deadline)
        guard.succeeded()
        try:
            changes, refusals = compaction_answer.changes(compaction_answer.parse(reply.text), offered, standing)
            return changes, {"compactor": reply.model or "answered", "refused": refusals[:_MOST_TOLD]}
        except compaction_answer.Refused as error:
            problem = str(error)
            messages = compactor.repair(messages, reply.text, problem)
    return [], {"compactor": "refused", "refused": [problem]}


def may_be_offered(note: Entry, waiting: set[str]) -> bool:
    """Whether a model may change a note: not its owner's own line, nor one with a secret, nor what waits for proof."""
    return note.mark not in (PENDING, RULE) and note.id not in waiting and bool(note.turn) \
        and redact(note.text) == note.text

