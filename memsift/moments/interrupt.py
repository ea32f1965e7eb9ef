"""The turn ended without an answer: interrupted by the developer, or failed in the service behind the agent."""

from __future__ import annotations

import types

from memsift.event import Answer
from memsift.event import Event
from memsift.moments import answer
from memsift.runtime import Runtime


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """What the developer said in it still counts."""
    answer.end_turn(event, "interrupted", runtime)
    return Answer()
