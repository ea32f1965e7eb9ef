"""A prompt that its author keeps out of memory: the session remembers that, and nothing else of it."""

from __future__ import annotations

import types

from memsift import session
from memsift.event import Answer
from memsift.event import Event
from memsift.runtime import Runtime


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """Nothing is judged, sent or stored, neither of the prompt nor of what the agent makes of it."""
    with session.editing(runtime.home, event) as state:
        state.keep_out(event.turn)
    return Answer()
