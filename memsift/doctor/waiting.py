"""What waits: turns that are not sorted yet, and packets that have not left for Cognee, of every repository."""

from __future__ import annotations

import json
import os
import time
from shlex import quote

from memsift import files
from memsift import spawn
from memsift.doctor.case import Case
from memsift.doctor.case import counted
from memsift.doctor.case import number
from memsift.doctor.case import paths_in
from memsift.doctor.finding import Section
from memsift.excerpt import one_line

LATE_SECONDS = 900  # longer than any worker lives


def examine(case: Case) -> Section:
    """Count what waits; find what has waited longer than a worker takes."""
    section = Section("waiting")
    for repository in case.repositories():
        turns, oldest = turns_waiting(case, repository)
        if turns and case.now - oldest > LATE_SECONDS:
            section.find(_late("turn", turns, repository, case.since(oldest), "sorted"),
                         "What they taught is not remembered yet. %s" % _why("jev", case), _do("jev", repository, case))
        packets, oldest = packets_waiting(case, repository)
        if packets and case.now - oldest > LATE_SECONDS:
            section.find(_late("packet", packets, repository, case.since(oldest), "sent to Cognee"),
                         "They are safe in outbox/, but not in the long-term memory. %s" % _why("cognee", case),
                         _do("cognee", repository, case))
        _look_at_processing(repository, case, section)
        if turns or packets or case.project and repository == case.project.name:
            section.say(repository, "%s, %s" % (counted(turns, "turn"), counted(packets, "packet")))
    if not section.facts:
        section.say("nothing", "no turn and no packet")
    return section


def _late(noun: str, count: int, repository: str, since: str, end: str) -> str:
    has = "has" if count == 1 else "have"
    return "%s of %s %s waited %s to be %s." % (counted(count, noun), repository, has, since.replace(" ago", ""), end)


def turns_waiting(case: Case, repository: str) -> tuple[int, float]:
    """How many turns wait, and since when at most."""
    paths = [path for path in paths_in(case.path("repos", repository))
             if os.path.basename(path) == "pending.jsonl"
             or os.path.basename(path).startswith("pending-") and path.endswith(".jsonl")]
    found = [(path, row) for path in paths for row in _rows(path)]
    return len({row["id"] for _, row in found}), min((_came(path, row) for path, row in found), default=0.0)


def _rows(path: str) -> list[dict]:
    try:
        return list(filter(None, map(_row, files.read_text(path).split("\n"))))
    except OSError:
        return []


def _row(line: str) -> dict | None:
    try:
        row = json.loads(line.strip("\0\r\ufeff "))
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("id"), str) else None


def _came(path: str, row: dict) -> float:
    """When a turn came, at the latest: before its file was last written, and before its day was over."""
    written = files.written(path) or time.time()
    try:
        return min(written, time.mktime(time.strptime(str(row.get("date")), "%Y-%m-%d")) + 86400)
    except (ValueError, OverflowError):
        return written


def packets_waiting(case: Case, repository: str) -> tuple[int, float]:
    """How many packets wait, and since when at most."""
    packets = [path for path in paths_in(case.path("repos", repository, "outbox")) if path.endswith(".json")]
    times = [written for written in map(files.written, packets) if written is not None]
    return len(times), min(times, default=0.0)


def _look_at_processing(repository: str, case: Case, section: Section) -> None:
    """Find documents that the long-term store has taken in and cannot make searchable."""
    facts = case.json(case.path("repos", repository, "processing.json"))
    again, problem = int(number(facts.get("repairs"))), one_line(str(facts.get("problem", "")))
    if again > 0 and case.settings["MEMSIFT_COGNEE_URL"]:
        section.find("Cognee has not made searchable what it holds of %s (%s), though it was asked again %s, last %s."
                     % (repository, problem or "it does not say why", "once" if again == 1 else "%d times" % again,
                        case.since(number(facts.get("since")))),
                     "The notes are stored there, but a prompt does not find them.",
                     "Look into the server's log for what stops it, often its model's key or credit; memsift asks again by itself.")


def _why(service: str, case: Case) -> str:
    if isinstance(case.state.get(service, {}).get("paused"), dict):
        return "The service that they wait for is paused."
    if service == "cognee" and not case.settings["MEMSIFT_COGNEE_URL"]:
        return "No server is set any more."
    return "The next answer in that project starts another try."


def _do(service: str, repository: str, case: Case) -> str:
    if service == "cognee" and not case.settings["MEMSIFT_COGNEE_URL"]:
        return "Set MEMSIFT_COGNEE_URL again, or delete the folder %s." % case.path("repos", repository, "outbox")
    here = bool(case.project) and repository == case.project.name
    where = "" if here or service == "cognee" else " in that project"
    return "Type /memsift-resume in Claude Code or $memsift-resume in Codex%s, or run %s." % (where, command("resume"))


def command(name: str) -> str:
    """How to run a command of memsift's from any folder; -B, since nothing may be written into the plugin's own."""
    return "`PYTHONPATH=%s python3 -B -m memsift %s`" % (quote(spawn.ROOT), name)
