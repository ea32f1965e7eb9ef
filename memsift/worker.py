"""The detached worker of one repository: it sorts the turns that wait, and keeps what they taught.

One at a time per repository; it ends by itself, after ten minutes at the latest.
"""

from __future__ import annotations

import os
import signal
import time

from memsift import conversation
from memsift import corrections
from memsift import files
from memsift import hosts
from memsift import keeping
from memsift import leftovers
from memsift import lock
from memsift import notes
from memsift import pending
from memsift import sorters
from memsift.archive.archive_keeper import ArchiveKeeper
from memsift.compaction import compacting
from memsift.compaction import endings
from memsift.conversation import Turn
from memsift.deadline import Deadline
from memsift.entry import WITHDRAWN
from memsift.entry import Entry
from memsift.home import NoHome
from memsift.judgement import Message
from memsift.judgement import TurnQuestion
from memsift.keeping import Outcome
from memsift.longterm import tending
from memsift.runtime import Runtime

SECONDS = 600
# A transcript may lag behind its host's hooks by some 0.2 s; longer waits are for a busy machine.
TRANSCRIPT_SECONDS = 2.0
_POLL_SECONDS = 0.05
RESERVE_SECONDS = 100  # for the compaction itself, at the end of a wait
LINGER_SECONDS = 1.0


def main(arguments: list[str]) -> None:
    """Work for the repository named by the first argument, and end the process."""
    signal.alarm(SECONDS)  # unhandled on purpose: whatever hangs, the process is gone
    try:
        runtime = Runtime(Deadline(SECONDS))
    except NoHome:
        return
    try:
        if len(arguments) == 1:
            work(arguments[0], runtime)
            linger(arguments[0], runtime)
        elif arguments[1:2] == ["resume"]:
            from memsift import resuming  # rare
            resuming.in_background(arguments[2], set(arguments[3:]), arguments[0], runtime)
    except BaseException as error:  # the boundary: nobody waits for this process, the log is all there is
        runtime.log.error("worker", "%s: %s" % (type(error).__name__, error), error)


def work(repository: str, runtime: Runtime) -> None:
    """Sort until nothing waits, then tend the long-term store. What comes while the last worker is leaving starts
    another round."""
    tended = tending.Tending(repository, runtime)
    while True:
        try:
            with lock.held(runtime.home.replay_lock(repository)):
                is_able = _round(repository, runtime)
                tended.run(lambda: is_able and bool(pending.read(runtime.home, repository)))
        except lock.Locked:
            return  # its holder looks again before it goes
        if not (is_able and pending.read(runtime.home, repository)) and not tended.has_more():
            return


def _round(repository: str, runtime: Runtime) -> bool:
    """Everything there is to do now. False where the turns that wait cannot be sorted."""
    leftovers.collect(repository, runtime)
    _tidy(repository, runtime)
    compacting.attempt_to_finish(repository, runtime)
    try:
        is_able = drain(repository, runtime)
    except sorters.Unavailable as error:
        runtime.log.error("core-turn", "turns wait: %s" % error)
        is_able = False
    _compact_if_due(repository, runtime)
    return is_able


def _tidy(repository: str, runtime: Runtime) -> None:
    """Delete what nobody needs; where that fails, the turns are sorted all the same."""
    try:
        leftovers.clean_cache(runtime.home.root)
        leftovers.clean_temporary([runtime.home.sessions, runtime.home.repository(repository),
                                   runtime.home.outbox(repository)])
    except OSError as error:
        runtime.log.error("worker", "not everything could be tidied up: %s" % error, error)


def linger(repository: str, runtime: Runtime) -> None:
    """Wait for the grace time of a session that has just ended, and compact its notes unless it goes on.

    Whatever turns come meanwhile are sorted: this is the repository's one worker. A longer wait than this process may
    live is left to the next session.
    """
    while True:
        wait = endings.due_in(repository, runtime)
        if wait is None or not 0 < wait < runtime.deadline.remaining() - RESERVE_SECONDS:
            return
        try:
            with lock.held(runtime.home.replay_lock(repository)):
                waiting = _waiting(repository, runtime)
                tended = tending.Tending(repository, runtime)
                tended.leave()
                while wait is not None and wait > 0 and _waiting(repository, runtime) == waiting and not tended.has_more():
                    time.sleep(min(wait, LINGER_SECONDS))
                    if not os.path.isdir(runtime.home.root):
                        return  # somebody has deleted it, and it is not made again
                    wait = endings.due_in(repository, runtime)
        except lock.Locked:
            return
        work(repository, runtime)


def _waiting(repository: str, runtime: Runtime) -> set[str]:
    return {row["id"] for row in pending.read(runtime.home, repository)}


def _compact_if_due(repository: str, runtime: Runtime) -> None:
    wait = endings.due_in(repository, runtime)
    if wait is not None and wait <= 0:
        compacting.attempt(repository, runtime)


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
        return Outcome([], "no prompt of the developer's")
    working = notes.load(runtime.home, repository)
    standing = [note for note in working if note.mark != WITHDRAWN]
    archive = ArchiveKeeper(runtime.home, repository, runtime.log)
    question = TurnQuestion(prompts, str(row.get("answer", "")), _changes(row), _recent(row, runtime),
                            notes=standing + _older(standing, archive.alike("\n".join(prompts))))
    judgement = sorter.judge_turn(question, runtime.deadline)
    said = archive.alike("\n".join(text for _, text, _ in judgement.sentences))
    known = question.notes + _older(question.notes, said)
    changed = corrections.follow(standing, known, row, prompts, judgement.replaces)
    changed += corrections.expired([note for note in standing if note.id not in {each.id for each in changed}],
                                   runtime.today())
    outcome = keeping.decide(judgement, sorters.thresholds(sorter, runtime.settings), row, known,
                             corrections.taken_back(working, changed, row))
    outcome.corrections = changed
    new = [note for note in outcome.notes if not archive.holds(note.id)]
    if new or changed:
        notes.settle(runtime.home, repository, new, changed)
    if compacting.is_full(repository, runtime):
        compacting.attempt(repository, runtime)
    return outcome


def _older(known: list[Entry], archived: list[Entry]) -> list[Entry]:
    """What only the archive holds: a turn may correct that as well."""
    ids = {note.id for note in known}
    return [entry for entry in archived if entry.id not in ids]


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
        and 0 < files.size(path) < conversation.TURN_BYTES


def _is_recorded(row: dict) -> bool:
    """Whether a host that we can read may have a record of the turn."""
    return bool(row.get("transcript") and row.get("turn")) and row.get("host") in hosts.NAMES


def _turn(row: dict, runtime: Runtime) -> Turn | None:
    """The turn in the host's record, waited for while the host may still be writing it."""
    if not _is_recorded(row):
        return None
    path, reader = row["transcript"], hosts.reader(row["host"]).records
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


def _recent(row: dict, runtime: Runtime) -> list[Message]:
    """What the agent still saw when the turn began; nothing where the host's record does not tell."""
    if not _is_recorded(row):
        return []
    try:
        return conversation.recent(row["transcript"], hosts.reader(row["host"]).records, limit=conversation.TURN_BYTES,
                                   before=row["turn"]).messages
    except OSError as error:
        runtime.log.error("core-turn", "transcript not read: %s" % error, error)
        return []


_SAID_OF = {"edit": "edited %s", "commit": "committed: %s", "failed": "failed: %s", "fixed": "failed, then worked: %s"}


def _changes(row: dict) -> list[str]:
    return [_SAID_OF[change["what"]] % change.get("text", "") for change in row.get("changes", ())
            if isinstance(change, dict) and change.get("what") in _SAID_OF]
