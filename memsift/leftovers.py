"""What was left behind: turns whose hook could not write, and sessions that never said goodbye (killed, crashed, a
closed laptop). Their turns are sorted like any other.
"""

from __future__ import annotations

import json
import os
import time

from memsift import closing
from memsift import conversation
from memsift import files
from memsift import hosts
from memsift import lock
from memsift import pending
from memsift import session
from memsift import switch
from memsift.event import Event
from memsift.runtime import Runtime
from memsift.session import Session

QUIET_SECONDS = 1800  # nothing seen for so long, and no growth of its transcript
FORGET_SECONDS = 60 * 86400


def collect(repository: str, runtime: Runtime) -> None:
    """Close the open turns of this repository's abandoned sessions, and delete state that nobody will resume."""
    folder = runtime.home.sessions
    for name in files.names(folder):
        path = os.path.join(folder, name)
        try:
            if name.endswith(".json"):
                _visit(path, repository, runtime)
        except (OSError, ValueError, lock.Locked) as error:
            runtime.log.error("worker", "session %s: %s" % (name, error), None)


def catch_up(repository: str, row: dict, runtime: Runtime) -> None:
    """Hand in the turns before this one that memsift never heard the end of: its disk was full, say, or its hook was
    killed. The host's own record has them, back to the last turn that memsift knows of."""
    path, name = str(row.get("transcript") or ""), str(row.get("session") or "")
    state = session.load(runtime.home, name) if path and name and row.get("turn") else None
    if state is None:
        return
    event = Event(str(row["host"]), "answer", name, transcript=path)
    switched = switch.switched_on(runtime.home, repository)
    if switched and state.facts.get("started", 0) < switched != state.facts.get("switched_on"):
        with session.editing(runtime.home, event) as current:
            current.facts["switched_on"] = switched  # from this turn on, none is missed
        return
    reader = hosts.reader(str(row.get("host"))).records
    missed = [(turn, found) for turn, found in conversation.turns_between(path, reader, row["turn"], state.closed())
              if found.prompts]
    for turn, found in missed:
        with session.editing(runtime.home, event) as current:
            if turn not in current.closed():
                found_row = closing.row(current, event, turn, "answered", row.get("date", ""), found.answer)
                pending.append(runtime.home, repository, dict(found_row, prompts=found.prompts))


def clean_temporary(folders: list[str]) -> None:
    """Delete the half-written files of processes that were killed while they replaced a file."""
    for folder in folders:
        for name in files.names(folder):
            path = os.path.join(folder, name)
            written = files.written(path) if name.endswith(".tmp") else None
            if written is not None and time.time() - written > QUIET_SECONDS:
                files.remove(path)


def clean_cache(root: str) -> None:
    """Delete the compiled modules of plugin folders that are gone: each update of the plugin has a folder of its
    own."""
    cache = os.path.join(root, "cache")
    for folder, _, names in os.walk(cache, topdown=False):
        if os.path.isdir(os.path.join(os.sep, os.path.relpath(folder, cache))):
            continue
        for name in names:
            files.remove(os.path.join(folder, name))
        files.remove_if_empty(folder)


def _visit(path: str, repository: str, runtime: Runtime) -> None:
    facts = json.loads(files.read_text(path, "null"))
    if not isinstance(facts, dict) or facts.get("repository") != repository:
        return
    idle = time.time() - last_sign(path, facts)
    if facts.get("open") and (idle > QUIET_SECONDS or facts.get("ended")):
        _close(Session(facts), repository, runtime)
    elif idle > FORGET_SECONDS:
        files.remove(path)
        files.remove(path[:-len(".json")] + ".lock")


def last_sign(path: str, facts: dict) -> float:
    """When the session was last seen to live; a time in the future counts as now, and so does one that is gone."""
    transcript = facts.get("transcript")
    grown = files.written(transcript) if isinstance(transcript, str) and os.path.isfile(transcript) else None
    return min(time.time(), max(files.written(path) or time.time(), grown or 0.0))


def _close(state: Session, repository: str, runtime: Runtime) -> None:
    event = Event(str(state.facts.get("host", "")), "session-end", str(state.facts.get("session", "")),
                  transcript=str(state.facts.get("transcript", "")))
    with session.editing(runtime.home, event) as current:
        for row in closing.leave(current, event, runtime.today()):
            pending.append(runtime.home, repository, row)
