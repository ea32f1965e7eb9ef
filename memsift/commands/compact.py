"""Compact the working notes of this repository now."""

from __future__ import annotations

import argparse
import json
import sqlite3

from memsift import here
from memsift import worker
from memsift.commands import Failure
from memsift.compaction import compacting
from memsift.deadline import Deadline
from memsift.runtime import Runtime

NAME = "compact"
HELP = "clean the working notes of this repository and move them on"
_DESCRIPTION = """\
Drop repetitions and what was replaced, apply confirmed corrections, let the compactor tidy the rest where one is set
(MEMSIFT_COMPACTOR_KEY or MEMSIFT_COMPACTOR_URL), and move the draft to the digest and the archive. It is done by itself
when the notes grow too long and when a session ends. Lines of your own are moved as they are.
"""
_WITHOUT = {"": "", "failed": " The compactor failed, see debug.log; its part was left out.",
            "refused": " The compactor's answer was unusable; its part was left out."}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Says what was done."""
    runtime = Runtime(Deadline(worker.SECONDS))
    try:
        told = compacting.compact(here.project().name, runtime)
    except (sqlite3.Error, compacting.NotArchived) as error:
        raise Failure("the notes stay as they are, since the archive cannot be written: %s" % error) from None
    if told is None:
        raise Failure("another process is compacting these notes now")
    print(json.dumps(told, ensure_ascii=False) if arguments.json else in_words(told))
    return 0


def in_words(told: dict) -> str:
    """One line about what a compaction did."""
    if not told.get("moved") and not told.get("changes") and not told.get("archived"):
        return "There was nothing to compact."
    went = ", ".join("%d %s" % (count, why) for why, count in told.get("why", {}).items())
    return "%d notes moved on%s.%s" % (told["moved"], "; of the others: " + went if went else "",
                                       _WITHOUT.get(told.get("compactor", ""), ""))
