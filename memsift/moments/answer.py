"""The agent has answered: the turn goes to disk, and a detached worker sorts it."""

from __future__ import annotations

import types

from memsift import closing
from memsift import lock
from memsift import pending
from memsift import session
from memsift.event import Answer
from memsift.event import Event
from memsift.runtime import Runtime
from memsift.session import Session

END = "answered"


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """Nothing is printed: whatever a host gets here makes its agent go on."""
    end_turn(event, END, runtime)
    return Answer()


def end_turn(event: Event, end: str, runtime: Runtime) -> None:
    """Close the turn of the event and start the worker. The turn is on disk before the session forgets its prompts."""
    try:
        with session.editing(runtime.home, event) as state:
            _keep_rows(closing.end_turn(state, event, end, runtime.today()), state, runtime)
    except (OSError, lock.Locked) as error:
        runtime.log.error("core-turn", "session not written: %s" % error, error)
        state = session.begin(event)
        _keep_rows(closing.end_turn(state, event, end, runtime.today()), state, runtime)
    if state.repository:
        runtime.start_worker(state.repository)


def _keep_rows(rows: list[dict], state: Session, runtime: Runtime) -> None:
    for row in rows if state.repository else ():
        pending.append(runtime.home, state.repository, row)
