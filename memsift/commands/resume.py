"""Lift the pauses of services that answer again, send the packets and sort the turns that waited for them."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memsift import project
from memsift import resuming
from memsift import worker
from memsift.deadline import Deadline
from memsift.replay.progress import Progress
from memsift.resuming import Resumed
from memsift.runtime import Runtime

NAME = "resume"
HELP = "try paused services again, then send and sort what waited for them"
_PROBE_SECONDS = 20.0
_DESCRIPTION = """\
Ask each service once; one that answers is called again from now on. Then send the packets of all repositories to
Cognee, and sort the turns that wait in this one; other repositories' turns follow when they are next worked on. It may
be interrupted, and run again: nothing is lost, and nothing is done twice.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """0 when everything that is set works, 1 when something still fails."""
    runtime = Runtime(Deadline(worker.SECONDS))
    here = project.identify(os.getcwd(), os.environ.get("HOME", ""))
    told, able = resuming.lift(runtime, Deadline(_PROBE_SECONDS))
    if not arguments.json:
        _say(told)
    try:
        with Progress(sys.stderr) as progress:
            later = resuming.catch_up(here.name if here else "", able, runtime, progress.say)
    except KeyboardInterrupt:
        print("memsift: interrupted; nothing is lost, run it again to go on", file=sys.stderr)
        raise
    if arguments.json:
        print(json.dumps({"done": told.done + later.done, "wrong": told.wrong + later.wrong}, ensure_ascii=False))
    else:
        _say(later)
    return 1 if told.wrong or later.wrong else 0


def _say(told: Resumed) -> None:
    for sentence in told.done:
        print(sentence, flush=True)
    for sentence in told.wrong:
        print(sentence, file=sys.stderr)
