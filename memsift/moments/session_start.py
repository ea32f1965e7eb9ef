"""A session starts, is resumed, or goes on after a compaction."""

from __future__ import annotations

import types

from memsift import hosts
from memsift import session
from memsift.event import Answer
from memsift.event import Event
from memsift.runtime import Runtime
from memsift.session import Session

COMPACTED = "compact"
FORKED = "fork"
_SOURCES = ("startup", "resume", "clear", COMPACTED, FORKED)


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """Fix the repository, forget what a compaction dropped, and let a worker finish what earlier sessions left.

    A home that cannot be written is told to the user here, once per start: the log would be as silent as the rest.
    """
    for problem in runtime.settings.problems:
        runtime.log.error("settings", problem)
    try:
        with session.editing(runtime.home, event) as state:
            state.facts.pop("ended", None)
            state.facts["source"] = event.source if event.source in _SOURCES else "other"
            if event.source == FORKED:
                _inherit(state, event, runtime)
            if event.source == COMPACTED:
                state.compacted(event.turn if host.KEEPS_GIVEN_IN_FLIGHT else "")
    except OSError as error:
        runtime.log.error("core-start", "session not written: %s" % error, error)
        return Answer(message=_advice(error, runtime.home.root))
    if state.repository and event.source != COMPACTED:
        runtime.start_worker(state.repository)
    return Answer()


def _inherit(state: Session, event: Event, runtime: Runtime) -> None:
    try:
        parent = hosts.reader(event.host).parent(event.transcript)
        found = session.load(runtime.home, parent) if parent else None
    except (OSError, ValueError) as error:
        runtime.log.error("core-start", "parent of a fork not read: %s" % error, error)
        return
    if found:
        state.inherit(found)


def _advice(error: OSError, root: str) -> str:
    import errno
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "memsift remembers nothing now: no space left for %s. Free some space on that disk." % root
    return "memsift remembers nothing now: it cannot write to %s (%s). Make that folder yours and writable, " \
           "or set MEMSIFT_HOME to one that is." % (root, error.strerror or error)
