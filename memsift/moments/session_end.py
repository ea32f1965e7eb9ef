"""The session is over, for now: what is still open in it is handed to the worker. It may be resumed at any time."""

from __future__ import annotations

import time
import types

from memsift import closing
from memsift import files
from memsift import pending
from memsift import session
from memsift.event import Answer
from memsift.event import Event
from memsift.runtime import Runtime


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """Ends nothing that a resumed session needs: its file stays."""
    with session.editing(runtime.home, event, seconds=0.5) as state:
        rows = closing.leave(state, event, runtime.today())
        for row in rows if state.repository else ():
            pending.append(runtime.home, state.repository, row)
        state.facts["ended"] = int(time.time())
    if state.repository and (rows or _has_notes(runtime.home.draft(state.repository))):
        runtime.start_worker(state.repository)
    return Answer()


def _has_notes(draft: str) -> bool:
    """Whether there may be notes to compact, without reading them."""
    return files.size(draft) > 0
