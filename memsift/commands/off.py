"""Switch memory off for this repository."""

from __future__ import annotations

import argparse

from memsift import here
from memsift import switch
from memsift.event import MARKER

NAME = "off"
HELP = "switch memory off for this repository"
_DESCRIPTION = """\
Have every hook end at once in this repository: nothing is added, judged, sent or kept, in either host. What is
remembered stays. To keep a single prompt out, write %s anywhere in it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION % MARKER


def run(arguments: argparse.Namespace) -> int:
    """Says whether it was off."""
    home, project = here.home(), here.project()
    was_off = switch.is_off(home, project.name)
    switch.turn_off(home, project.name)
    print("Memory is off for %s%s. What is remembered stays." % (project.name, ", as it was" if was_off else ""))
    return 0
