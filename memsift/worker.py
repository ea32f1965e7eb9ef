"""The detached worker of one repository: it sorts the turns that wait, and keeps what they taught.

One at a time per repository; it ends by itself, after ten minutes at the latest.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time

from memsift import conversation
from memsift import hosts
from memsift import keeping
from memsift import leftovers
from memsift import lock
from memsift import notes
from memsift import pending
from memsift import sorters
from memsift.archive import Archive
from memsift.conversation import Turn
from memsift.deadline import Deadline
from memsift.home import NoHome
from memsift.judgement import TurnQuestion
from memsift.keeping import Outcome
from memsift.runtime import Runtime

SECONDS = 600
# A transcript may lag behind its host's hooks by some 0.2 s; longer waits are for a busy machine.
TRANSCRIPT_SECONDS = 2.0
_POLL_SECONDS = 0.05


def main(arguments: list[str]) -> None:
    """Work for the repository named by the only argument, and end the process."""
    signal.alarm(SECONDS)  # unhandled on purpose: whatever hangs, the process is gone
    try:
        runtime = Runtime(Deadline(SECONDS))
    except NoHome:
        return
    try:
        if len(arguments) == 1:
            work(arguments[0], runtime)
    except BaseException as error:  # the boundary: nobody waits for this process, the log is all there is
        runtime.log.error("worker", "%s: %s" % (type(error).__name__, error), error)


def work(repository: str, runtime: Runtime) -> None:
    """Sort until nothing waits. A turn that arrives while the last worker is leaving starts another round."""
    while True:
        try:
            with lock.held(runtime.home.replay_lock(repository)):
                leftovers.collect(repository, runtime)
                leftovers.clean_cache(runtime.home.root)
                leftovers.clean_temporary([runtime.home.sessions, runtime.home.repository(repository)])
                is_able = drain(repository, runtime)
        except lock.Locked:
            return  # its holder looks again before it goes
        except sorters.Unavailable as error:
            runtime.log.error("core-turn", "turns wait: %s" % error)
            return
        if not is_able or not pending.read(runtime.home, repository):
            return


def drain(repository: str, runtime: Runtime) -> bool:
    """Sort every turn that waits. False where there is no sorter; then they stay. Raises sorters.Unavailable."""
    sorter = sorters.load(runtime)
    while sorter:
        rows = pending.read(runtime.home, repository)
        for row in rows:
            outcome = settle(repository, row, sorter, runtime)
            runtime.log.decision("core-turn", dict(outcome.facts(), session=row.get("session"), turn=row.get("turn")))
            _catch_up(repository, row, runtime)
            pending.remove(runtime.home, repository, row["id"])
        if not rows:
            return True
    return False


def settle(repository: str, row: dict, sorter: object, runtime: Runtime) -> Outcome:
    """Judge one turn and put what it taught into the draft, before the turn leaves pending.jsonl."""
    prompts = _prompts(row, runtime)
    if not prompts and not (row.get("again") and row.get("answer")):
        return Outcome(None, "no prompt of the developer's")
    working = notes.load(runtime.home, repository)
    question = TurnQuestion(prompts, str(row.get("answer", "")), _changes(row), notes=working)
    judgement = sorter.judge_turn(question, runtime.deadline)
    archive = _Archive(repository, runtime)
    known = working + archive.alike("\n".join(text for _, text, _ in judgement.sentences))
    outcome = keeping.decide(judgement, sorters.thresholds(sorter, runtime.settings), row, known)
    if outcome.note and not archive.holds(outcome.note.id):
        notes.append(runtime.home, repository, [outcome.note])
        notes.roll_over(runtime.home, repository, archive.add)
    return outcome


def _catch_up(repository: str, row: dict, runtime: Runtime) -> None:
    try:
        leftovers.catch_up(repository, row, runtime)
    except (OSError, ValueError, lock.Locked) as error:
        runtime.log.error("core-turn", "earlier turns not looked for: %s" % error, error)


def _prompts(row: dict, runtime: Runtime) -> list[str]:
    """What the developer typed in this turn: the host's own record knows best, what the hooks saw stands in for it."""
    recorded = [prompt for prompt in row.get("prompts", ()) if isinstance(prompt, str)]
    if row.get("again"):
        return recorded
    found = _turn(row, runtime)
    if found is not None:
        return found.prompts
    return [] if _was_taken_back(row) else recorded


def _was_taken_back(row: dict) -> bool:
    """Whether the developer pressed Esc before the prompt was sent: a whole record without it says so."""
    path = row.get("transcript") or ""
    return row.get("end") != "answered" and bool(row.get("turn")) and os.path.isfile(path) \
        and 0 < os.path.getsize(path) < conversation.TURN_BYTES


def _turn(row: dict, runtime: Runtime) -> Turn | None:
    """The turn in the host's record, waited for while the host may still be writing it."""
    path, name = row.get("transcript"), row.get("host")
    if not path or not row.get("turn") or name not in hosts.NAMES:
        return None
    reader = hosts.reader(name).records
    give_up = time.monotonic() + TRANSCRIPT_SECONDS
    while True:
        try:
            found = conversation.turn(path, reader, row["turn"])
        except OSError as error:
            runtime.log.error("core-turn", "transcript not read: %s" % error, error)
            return None
        if found is not None or time.monotonic() > give_up or not os.path.exists(path):
            return found
        time.sleep(_POLL_SECONDS)


_SAID_OF = {"edit": "edited %s", "commit": "committed: %s", "failed": "failed: %s", "fixed": "failed, then worked: %s"}


def _changes(row: dict) -> list[str]:
    return [_SAID_OF[change["what"]] % change.get("text", "") for change in row.get("changes", ())
            if isinstance(change, dict) and change.get("what") in _SAID_OF]


class _Archive:
    """The archive as the worker uses it: a corrupt one is set aside and never stops the work."""

    def __init__(self, repository: str, runtime: Runtime) -> None:
        self._archive = Archive(runtime.home.archive(repository), wait=30.0)
        self._log = runtime.log
        self.add = self._archive.add

    def alike(self, text: str) -> list:
        try:
            return self._archive.closest(text)
        except sqlite3.DatabaseError as error:
            self._report(error)
            return []

    def holds(self, id: str) -> bool:
        try:
            return self._archive.holds(id)
        except sqlite3.DatabaseError as error:
            self._report(error)
            return False

    def _report(self, error: sqlite3.DatabaseError) -> None:
        if isinstance(error, sqlite3.OperationalError):  # busy, full, read-only: not corrupt
            self._log.error("core-turn", "archive: %s" % error, error)
            return
        self._log.error("core-turn", "archive is corrupt, set aside as %s" % self._archive.set_aside(), error)
