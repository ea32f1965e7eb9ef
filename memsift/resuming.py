"""Resume: try every service again, lift the pauses of those that answer, then send and sort what waited for them.

Each step leaves what is not done where it was, so that an interruption loses nothing and a second run goes on.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable

from memsift import files
from memsift import lock
from memsift import pending
from memsift import switch
from memsift import worker
from memsift.deadline import Deadline
from memsift.doctor import services
from memsift.doctor.case import counted
from memsift.log import Log
from memsift.longterm import outbox
from memsift.remote.pauses import Pauses
from memsift.runtime import Runtime

_WORKER_SECONDS = 3.0  # that a worker of another repository is waited for
_EVERY_SECONDS = 0.5  # the file that tells how far a resume in the background has come
Teller = Callable[[str], None]


class Resumed:
    """What a resume did: plain sentences, and whether anything is still wrong."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.wrong: list[str] = []

    def facts(self) -> dict:
        """For --json, and for the file of a resume in the background."""
        return {"done": self.done, "wrong": self.wrong}


def lift(runtime: Runtime, deadline: Deadline) -> tuple[Resumed, set[str]]:
    """Ask each service once, and lift the pauses of those that answer, which are named. Raises OSError, Locked."""
    told, able = Resumed(), set()
    pauses = Pauses(runtime.home.state)
    for one in services.probe(runtime.settings, deadline):
        what = one.what.partition(" (")[0]
        what = what[:1].upper() + what[1:]
        if one.failed is not None:
            status = "status=%d, " % one.failed.status if one.failed.status else ""
            told.wrong.append("%s does not answer: %s%s. It stays as it was; /memsift-doctor says what to do."
                              % (what, status, one.failed.message.rstrip(". ")))
            continue
        was_paused = pauses.of(one.name)
        pauses.resume(one.name)
        able.add(one.name)
        told.done.append("%s answers%s." % (what, " and is called again" if was_paused else ""))
    if not told.done and not told.wrong:
        told.done.append("No service is set: everything is judged on this machine.")
    return told, able


def catch_up(repository: str, able: set[str], runtime: Runtime, tell: Teller) -> Resumed:
    """Send the packets of every repository, and sort the turns of this one ("" for none). Raises OSError, Locked."""
    told = Resumed()
    if "cognee" in able:
        _send(runtime, tell, told)
    can_judge = "jev" in able or runtime.settings.sorter == "local"
    if repository and can_judge and not switch.is_off(runtime.home, repository):
        _sort(repository, runtime, tell, told)
    return told


def _send(runtime: Runtime, tell: Teller, told: Resumed) -> None:
    from memsift.longterm import upload
    folder = runtime.home.repositories
    sent = 0
    for name in files.names(folder):
        waiting = len(outbox.waiting(runtime.home, name)) if not switch.is_off(runtime.home, name) else 0
        if not waiting:
            continue
        tell("sending %d packets of %s" % (waiting, name))
        try:
            with lock.held(runtime.home.replay_lock(name), _WORKER_SECONDS):  # as every worker that sends
                report = upload.drain(name, runtime)
        except lock.Locked:
            told.done.append("%s of %s are left to a worker that was there first."
                             % (counted(waiting, "packet"), name))
            continue
        left = len(outbox.waiting(runtime.home, name))
        sent += waiting - left
        if left:
            told.wrong.append("%s of %s could not be sent (%s)."
                              % (counted(left, "packet"), name, report.problem or "debug.log says why"))
    if sent:
        told.done.append("%s sent to Cognee." % counted(sent, "packet"))


def _sort(repository: str, runtime: Runtime, tell: Teller, told: Resumed) -> None:
    before = {row["id"] for row in pending.read(runtime.home, repository)}
    if before:
        runtime.log = _Telling(runtime.log, len(before), tell)
    worker.work(repository, runtime)
    left = len(before & {row["id"] for row in pending.read(runtime.home, repository)})
    if len(before) > left:
        told.done.append("%s of %s sorted; other projects follow when they are next worked on." % (
            counted(len(before) - left, "turn"), repository))
    if left and _is_at_work(repository, runtime):
        told.done.append("%s of %s are being sorted by a worker that was there first."
                         % (counted(left, "turn"), repository))
    elif left:
        told.wrong.append("%s in %s still wait; debug.log says why." % (counted(left, "turn"), repository))


def _is_at_work(repository: str, runtime: Runtime) -> bool:
    try:
        with lock.held(runtime.home.replay_lock(repository)):
            return False
    except lock.Locked:
        return True


class _Telling(Log):
    """The log, which also tells how many turns are sorted by now."""

    def __init__(self, log: Log, total: int, tell: Teller) -> None:
        super().__init__(log.path, log.decisions)
        self._total = total
        self._tell = tell
        self._count = 0

    def decision(self, area: str, facts: dict) -> None:
        super().decision(area, facts)
        if area == "core-turn":
            self._count += 1
            self._tell("sorted %d of %d turns" % (self._count, max(self._count, self._total)))


def in_background(token: str, able: set[str], repository: str, runtime: Runtime) -> None:
    """Catch up, and keep in resume.json how far that has come; `token` tells this resume from others."""
    next_time = 0.0

    def tell(text: str) -> None:
        nonlocal next_time
        if time.monotonic() >= next_time:
            _write(runtime, {"token": token, "at": text})
            next_time = time.monotonic() + _EVERY_SECONDS
    tell("begun")
    try:
        told = catch_up(repository, able, runtime, tell)
    except (OSError, lock.Locked) as error:
        runtime.log.error("resume", str(error), error)
        told = Resumed()
        told.wrong.append("Not everything could be sent and sorted: %s." % error)
    _write(runtime, dict(told.facts(), token=token, at="done"))


def progress(runtime: Runtime, token: str) -> dict:
    """What resume.json says of this resume; {} before it has begun."""
    try:
        facts = json.loads(files.read_text(_path(runtime)))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) and facts.get("token") == token else {}


def _write(runtime: Runtime, facts: dict) -> None:
    files.write_text(_path(runtime), json.dumps(facts, ensure_ascii=False) + "\n")


def _path(runtime: Runtime) -> str:
    return os.path.join(runtime.home.root, "resume.json")
