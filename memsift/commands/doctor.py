"""Look at everything that memsift depends on, and say what to do."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memsift import doctor
from memsift import home
from memsift import screen
from memsift.deadline import Deadline
from memsift.doctor import text
from memsift.doctor.case import Case
from memsift.doctor.finding import PROBLEM
from memsift.replay.progress import Progress
from memsift.settings import Settings

NAME = "doctor"
HELP = "check settings, services, hooks and files, and say what to fix"
_SECONDS = 30.0
_DESCRIPTION = """\
Check the configuration, every service with one minimal request (which may cost a small part of a cent), the hosts'
hooks, and the files. Nothing is changed, and no paused service is resumed. The exit code is 1 where there is a problem.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """0 when there is no problem; advice alone is none."""
    case = Case(home.locate(), Settings(), os.getcwd(), Deadline(_SECONDS))
    with Progress(sys.stderr) as progress:
        progress.say("asking the services and looking at the files")
        report = doctor.examine(case)
    if arguments.json:
        print(json.dumps(report.facts(), ensure_ascii=False))
    else:
        first, _, rest = text.render(report, screen.width()).partition("\n")
        print(screen.bold(first, sys.stdout) + "\n" + rest, end="")
    return 1 if report.of(PROBLEM) else 0
