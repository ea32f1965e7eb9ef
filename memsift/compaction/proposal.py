"""What the compactor proposes to do with the notes: asked once, once more after an unusable answer, and checked.

It is a service like the others: its failures count, and while it is paused it is not called.
"""

from __future__ import annotations

from memsift import lock
from memsift.compaction import compaction_answer
from memsift.compaction import compactor
from memsift.compaction.compaction import Change
from memsift.entry import PENDING
from memsift.entry import RULE
from memsift.entry import Entry
from memsift.redact import redact
from memsift.remote.pauses import Pause
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
    if chat is None or len(offered) < 2 or paused(runtime):
        return [], {"compactor": ""}
    try:
        return _ask(chat, offered, standing, runtime)
    except Failed as error:
        _count_failure(error, runtime)
        return [], {"compactor": "failed"}


def _ask(chat: compactor.Compactor, offered: list[Entry], standing: list[Entry],
         runtime: Runtime) -> tuple[list[Change], dict]:
    deadline = runtime.deadline.within(compactor.SECONDS)
    messages = compactor.request(offered, standing)
    problem = ""
    for _ in range(2):
        reply = chat.chat(messages, deadline)
        _count_success(runtime)
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


def paused(runtime: Runtime) -> Pause | None:
    """The pause of the compactor, if there is one."""
    try:
        return Pauses(runtime.home.state).of(compactor.SERVICE)
    except OSError as error:
        runtime.log.error("pauses", "state not read: %s" % error, error)
        return None


def _count_failure(error: Failed, runtime: Runtime) -> None:
    runtime.log.error(AREA, "%s %s" % (compactor.SERVICE, error))
    try:
        Pauses(runtime.home.state).failed(compactor.SERVICE, error.status, error.message)
    except (OSError, lock.Locked) as problem:
        runtime.log.error("pauses", "failure not counted: %s" % problem, problem)


def _count_success(runtime: Runtime) -> None:
    try:
        Pauses(runtime.home.state).succeeded(compactor.SERVICE)
    except (OSError, lock.Locked) as problem:
        runtime.log.error("pauses", "success not counted: %s" % problem, problem)
