"""Lift the pauses of services that answer again, and sort the turns that waited."""

from __future__ import annotations

import argparse
import os
import sys

from memsift import lock
from memsift import pending
from memsift import project
from memsift import worker
from memsift.deadline import Deadline
from memsift.home import NoHome
from memsift.pauses import Pauses
from memsift.runtime import Runtime
from memsift.sorters import jev
from memsift.systemone import Failed

NAME = "resume"
HELP = "try paused services again, and sort the turns that waited for them"
_PROBE_SECONDS = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Ask each paused service once; one that answers is called again from now on."


def run(arguments: argparse.Namespace) -> int:
    """0 when everything that is set works, 1 when something still fails."""
    try:
        runtime = Runtime(Deadline(worker.SECONDS))
    except NoHome as error:
        print("memsift: %s" % error, file=sys.stderr)
        return 1
    if runtime.settings.sorter != "jev":
        print("No service is set: everything is judged on this machine.")
        return 0
    try:
        return _resume_jev(runtime)
    except (OSError, lock.Locked) as error:
        print("memsift: not everything could be resumed: %s" % error, file=sys.stderr)
        return 1


def _resume_jev(runtime: Runtime) -> int:
    pauses = Pauses(runtime.home.state)
    try:
        jev.probe(runtime.settings, Deadline(_PROBE_SECONDS))
    except Failed as error:
        print("Jev does not answer: %s. It stays as it was; see MEMSIFT_JEV_URL and MEMSIFT_JEV_KEY." % error,
              file=sys.stderr)
        return 1
    was_paused = pauses.of("jev")
    pauses.resume("jev")
    print("Jev answers%s." % (" and is called again" if was_paused else ""))
    here = project.identify(os.getcwd(), os.environ.get("HOME", ""))
    return _sort(here.name, runtime) if here else 0


def _sort(repository: str, runtime: Runtime) -> int:
    worker.work(repository, runtime)
    waiting = len(pending.read(runtime.home, repository))
    if waiting:
        print("%d turns in %s still wait; debug.log says why." % (waiting, repository), file=sys.stderr)
        return 1
    print("The turns that waited in %s are sorted; other projects follow when they are next worked on." % repository)
    return 0
