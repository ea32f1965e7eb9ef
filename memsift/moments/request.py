"""A prompt that asks memsift itself for something: done here, outside of any sandbox, and handed to the agent."""

from __future__ import annotations

import os
import time
import types

from memsift import hosts
from memsift import lock
from memsift import session
from memsift.conversation import HEADER_START
from memsift.event import Answer
from memsift.event import Event
from memsift.event import request
from memsift.runtime import Runtime

_MOST_CHARACTERS = 8_000  # both hosts replace what is longer than 10,000 by a preview
_WIDTH = 96
_SPARE_SECONDS = 2.0  # of the hook's time, for what comes after
_POLL_SECONDS = 0.1
_SHOWN = ("The user has this report on the screen already: do not repeat it. Say in one or two sentences what matters "
          "most in it and what to do first. Do nothing else unless the user asks.")
_NOT_SHOWN = "Give this report to the user as it is, word for word. Do nothing else unless the user asks."


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """The report, for the agent and, where the host has a screen, for the user. The turn is no turn to remember."""
    try:
        with session.editing(runtime.home, event) as state:
            state.keep_out(event.turn)
    except (OSError, lock.Locked) as error:
        runtime.log.error("core-request", "session not written: %s" % error, error)
    name = request(event.prompt)
    report = _ACTS[name](event, runtime).rstrip()
    is_shown = hosts.reader(event.host).has_screen(event.transcript, os.environ)
    context = "%s the report of memsift's %s, which the user has asked for. %s\n\n%s" % (
        HEADER_START, name, _SHOWN if is_shown else _NOT_SHOWN, report)
    return Answer(context, report)


def _doctor(event: Event, runtime: Runtime) -> str:
    from memsift import doctor
    from memsift.doctor import text
    from memsift.doctor.case import Case
    deadline = runtime.deadline.within(runtime.deadline.remaining() - _SPARE_SECONDS)
    case = Case(runtime.home.root, runtime.settings, event.cwd, deadline, event.host)
    return text.render(doctor.examine(case), _WIDTH, _MOST_CHARACTERS)


def _resume(event: Event, runtime: Runtime) -> str:
    """Probe and lift at once; send and sort in a process of its own, which is waited for as long as there is time."""
    from memsift import project
    from memsift import resuming
    from memsift.doctor.waiting import command
    here = project.identify(event.cwd, os.environ.get("HOME", ""))
    try:
        told, able = resuming.lift(runtime, runtime.deadline.within(runtime.deadline.remaining() / 2))
    except (OSError, lock.Locked) as error:
        runtime.log.error("core-request", "not resumed: %s" % error, error)
        return "memsift resume:\n  Nothing was resumed: %s. /memsift-doctor says what to do." % error
    token = os.urandom(8).hex()
    runtime.start_worker(here.name if here else "", "resume", token, *sorted(able))
    facts: dict = {}
    while facts.get("at") != "done" and runtime.deadline.remaining() > _SPARE_SECONDS:
        time.sleep(_POLL_SECONDS)
        facts = resuming.progress(runtime, token)
    lines = told.done + told.wrong + facts.get("done", []) + facts.get("wrong", [])
    if facts.get("at") != "done":
        lines.append("The rest goes on in the background (%s). How far it has come: %s."
                     % (facts.get("at", "about to begin"), command("status")))
    return "\n".join(["memsift resume:"] + ["  " + line for line in lines])


_ACTS = {"doctor": _doctor, "resume": _resume}
