"""How a paused service is told: to the agent, so that it passes it on, and to the user, where the host can show it."""

from __future__ import annotations

from memsift.conversation import HEADER_START
from memsift.remote.guard import Guard
from memsift.remote.pauses import Pause
from memsift.remote.pauses import Pauses
from memsift.runtime import Runtime

_WHAT = {
    "jev": ("Jev, the judge of this memory", "the embedded sorter judges prompts, and turns wait to be sorted"),
    "cognee": ("Cognee, the long-term memory", "only the notes and the archive on this machine are asked, and what is "
               "to be stored there waits in the outbox"),
    "compactor": ("the compactor", "notes are compacted by rules alone"),
}


def for_user(pause: Pause) -> str:
    """One line: what stopped, since when, why, what happens meanwhile, and how to go on."""
    what, meanwhile = _WHAT.get(pause.service, (pause.service, "memsift does without it"))
    return "memsift paused %s, %s: %s. Until it is resumed, %s. To resume, type /memsift-resume in Claude Code or " \
           "$memsift-resume in Codex." % (what, pause.since, pause.reason.rstrip(". "), meanwhile)


def for_agent(pause: Pause) -> str:
    """The same, with the wish to pass it on; this is an outage, which says nothing about what is remembered."""
    return "%s this is no note but a message for the user, please pass it on: %s" % (HEADER_START, for_user(pause))


def of_compactor(runtime: Runtime) -> list[Pause]:
    """The pause of the compactor, which no prompt ever calls and so would not hear of."""
    pause = Guard("compactor", Pauses(runtime.home.state), runtime.log).pause()
    return [pause] if pause else []
