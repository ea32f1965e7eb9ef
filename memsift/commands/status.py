"""One screen about this repository's memory, from what is on the disk alone."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memsift import card
from memsift import files
from memsift import home
from memsift import notes
from memsift import screen
from memsift.deadline import Deadline
from memsift.doctor import memory
from memsift.doctor import services
from memsift.doctor import waiting
from memsift.doctor.case import Case
from memsift.doctor.case import counted
from memsift.doctor.case import number
from memsift.home import Home
from memsift.settings import Settings

NAME = "status"
HELP = "one screen about this repository's memory; no network"
_LONGEST_STEP = 120  # seconds in which a resume at work says again how far it has come
_JUDGES = {"jev": "Jev", "local": "the embedded sorter", "off": "nobody: MEMSIFT_SORTER is off"}
_HOSTS = {"claude-code": "Claude Code", "codex": "Codex"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "What is remembered here, what waits, which services are set, and when the hooks last ran."
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Always 0: doctor is what judges."""
    case = Case(home.locate(), Settings(), os.getcwd(), Deadline(10.0))
    facts = _here(case) + _services(case) + _hosts(case)
    if arguments.json:
        print(json.dumps(dict(facts), ensure_ascii=False))
        return 0
    for name, value in facts:
        print("%s %s" % (screen.bold("%-12s" % name, sys.stdout), value))
    return 0


def _here(case: Case) -> list[tuple[str, str]]:
    if case.project is None:
        return [("repository", "none: %s belongs to no project" % case.folder)]
    name = case.project.name
    facts = [("repository", "%s, in %s" % (name, case.project.root)), ("memory", "off" if case.is_off else "on")]
    if name in case.repositories():
        working = notes.load(Home(case.root), name)
        archived = memory.count_entries(case.path("repos", name, "archive.db"))
        facts.append(("remembered", "%s, %s in the archive" % (counted(len(working), "note"), archived)))
        turns, packets = waiting.turns_waiting(case, name)[0], waiting.packets_waiting(case, name)[0]
        both = (counted(turns, "turn"), counted(packets, "packet"))
        facts.append(("waiting", "%s to be sorted, %s to be sent" % both))
    else:
        facts.append(("remembered", "nothing yet"))
    others = len([each for each in case.repositories() if each != name])
    facts.append(("elsewhere", "%d other repositories" % others if others != 1 else "1 other repository"))
    return facts + [("card", _card(case.project.root))]


def _card(root: str) -> str:
    text = card.read(root)
    if not text:
        return "none (python3 -m memsift card proposes one)"
    reasons = card.outdated(root, text)
    return "%s%s" % (card.NAME, ", outdated: " + reasons[0] if reasons else "")


def _services(case: Case) -> list[tuple[str, str]]:
    facts = [("judge", _JUDGES[case.settings.sorter])]
    for name, (_, address, _) in services.configured(case.settings).items():
        state = case.state.get(name, {})
        paused = state.get("paused")
        said = "paused since %s: %s" % (paused.get("since"), paused.get("reason")) if isinstance(paused, dict) else \
            "in use, failed %s times in a row" % state["failures"] if state.get("failures") else "in use"
        facts.append((name, "%s (%s)" % (said, address.partition("?")[0])))
    path = case.path("resume.json")
    resume = case.json(path)
    if resume.get("at") not in (None, "done") and case.now - (files.written(path) or 0.0) < _LONGEST_STEP:
        facts.append(("resume", "at work: %s" % resume["at"]))
    return facts


def _hosts(case: Case) -> list[tuple[str, str]]:
    facts = []
    for host, name in _HOSTS.items():
        seen = max((number(one.get("seen")) for one in case.sessions if one.get("host") == host), default=0.0)
        facts.append((name, "last hook ran %s" % case.since(seen) if seen else "no hook has run yet"))
    return facts
