"""How a paused service is told: to the agent, so that it passes it on, and to the user, where the host can show it."""

from __future__ import annotations

from memsift.conversation import HEADER_START
from memsift.pauses import Pause
from memsift.spawn import ROOT

_WHAT = {"jev": ("Jev, the judge of this memory", "the embedded sorter judges prompts, and turns wait to be sorted")}


def for_user(pause: Pause) -> str:
    """One line: what stopped, since when, why, what happens meanwhile, and how to go on."""
    what, meanwhile = _WHAT.get(pause.service, (pause.service, "memsift does without it"))
    return "memsift paused %s, %s: %s. Until it is resumed, %s. To resume, run in the project: %s" % (
        what, pause.since, pause.reason.rstrip(". "), meanwhile, _resume())


def _resume() -> str:
    """The command, from any folder of the project; -B, since nothing may be written into the plugin's own."""
    return "PYTHONPATH='%s' python3 -B -m memsift resume" % ROOT.replace("'", "'\\''")


def for_agent(pause: Pause) -> str:
    """The same, with the wish to pass it on; this is an outage, which says nothing about what is remembered."""
    return "%s this is no note but a message for the user, please pass it on: %s" % (HEADER_START, for_user(pause))
