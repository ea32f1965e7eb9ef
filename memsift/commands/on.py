"""Switch memory on for this repository."""

from __future__ import annotations

import argparse

from memsift import here
from memsift import switch

NAME = "on"
HELP = "switch memory on for this repository"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Have the hooks work in this repository again, from the next prompt on."


def run(arguments: argparse.Namespace) -> int:
    """Says whether it was off."""
    home, project = here.home(), here.project()
    was_off = switch.is_off(home, project.name)
    switch.turn_on(home, project.name)
    print("Memory is on for %s%s." % (project.name, "" if was_off else ", as it was"))
    return 0
