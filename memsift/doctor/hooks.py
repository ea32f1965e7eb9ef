"""When the hooks of a host last ran, held against what the host itself has been doing."""

from __future__ import annotations

import os
import re

from memsift import tail
from memsift.doctor.case import Case
from memsift.doctor.case import number
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section

_PROMPTS = ("prompt", "request", "off-the-record")
_MOMENTS = ("session-start", "prompt", "tool", "answer", "interrupt", "session-end")
_LAG_SECONDS = 900  # a host may write to its record a little after its last hook
_LONG_AGO_SECONDS = 14 * 86400
_VERSION = re.compile(rb'"(?:version|cli_version)":\s*"(\d[0-9A-Za-z.\-]*)"')


def sessions(case: Case, host: str) -> list[dict]:
    """The sessions that memsift has seen in a host, the last one first."""
    return [facts for facts in case.sessions if facts.get("host") == host]


def examine(host: str, newest_record: float, installed: float, case: Case, section: Section) -> None:
    """Say when each hook ran, and find the ones that should have.

    `newest_record`: when this project was last worked on in the host, by the host's own record; `installed`: since when
    the plugin is there. Both in seconds of the clock, 0 where unknown.
    """
    seen = sessions(case, host)
    last = max((number(facts.get("seen")) for facts in seen), default=0.0)
    ran = _last_runs(seen)
    section.say("hooks", ", ".join("%s %s" % (moment, case.since(ran[moment])) for moment in _MOMENTS if moment in ran)
                or ("last ran %s" % case.since(last) if last else "have never run"))
    trust = "type /hooks in Codex and trust those of memsift" if host == "codex" else \
        "type /hooks in Claude Code and see whether memsift's are listed"
    if newest_record > max(last, installed) + _LAG_SECONDS and not case.is_off:
        section.find("This project was worked on %s, and memsift's hooks %s." % (
            case.since(newest_record), "last ran %s" % case.since(last) if last else "have never run"),
            "Hooks that do not run add nothing and keep nothing, without a word.",
            "Start a new session and %s; if they are, look into debug.log." % trust)
    elif not last:
        section.find("The plugin is installed, and its hooks have never run.",
                     "Until they do, nothing is added or kept.",
                     "Start a session in a project and type a prompt; then %s." % trust, ADVICE)
    elif case.now - last > _LONG_AGO_SECONDS:
        section.find("The hooks last ran %s." % case.since(last), "Either nobody worked here, or they stopped running.",
                     "Type a prompt there and run doctor again; if nothing changes, %s." % trust, ADVICE)
    _look_for_missing(ran, trust, section)


def _last_runs(seen: list[dict]) -> dict[str, float]:
    runs: dict[str, float] = {}
    for facts in seen:
        ran = facts.get("ran")
        for moment, when in (ran.items() if isinstance(ran, dict) else ()):
            name = "prompt" if moment in _PROMPTS else moment
            runs[name] = max(runs.get(name, 0.0), number(when))
    return runs


def _look_for_missing(ran: dict[str, float], trust: str, section: Section) -> None:
    """Hooks of which some run and others do not: a part of them was not trusted."""
    prompt, answer = ran.get("prompt", 0.0), ran.get("answer", 0.0)
    if prompt and "answer" not in ran and ran.get("session-end", 0.0) > prompt:
        section.find("The hook after an answer has never run, though prompts were answered.", "Nothing is kept.",
                     "%s." % (trust[0].upper() + trust[1:]))
    if answer and "prompt" not in ran:
        section.find("The hook at a prompt has never run, though answers were given.", "Nothing is added.",
                     "%s." % (trust[0].upper() + trust[1:]))


def newest(folder: str, ending: str) -> float:
    """The time of the file below a folder that was written last; 0 where there is none."""
    try:
        with os.scandir(folder) as entries:
            return max((entry.stat().st_mtime for entry in entries if entry.name.endswith(ending)), default=0.0)
    except OSError:
        return 0.0


def version(case: Case, host: str) -> str:
    """The version of a host that was last seen at work, out of its own record of a session; "" where unknown."""
    for facts in sessions(case, host)[:5]:
        path = str(facts.get("transcript") or "")
        try:
            lines = tail.lines_forwards(path) if host == "codex" else tail.lines_backwards(path, 200_000)
            for line, _ in zip(lines, range(50)):
                found = _VERSION.search(line)
                if found:
                    return found.group(1).decode("ascii")
        except OSError:
            continue
    return ""


def compare_version(name: str, found: str, tested: tuple[int, ...], tested_version: str, section: Section) -> None:
    """Find a host that is older or of another series than the one that memsift was tested with."""
    if not found:
        section.say("version", "not seen yet")
        return
    section.say("version", found)
    parts = tuple(int(part) for part in re.findall(r"\d+", found)[:3])
    least = tuple(int(part) for part in re.findall(r"\d+", tested_version)[:3])
    if parts < least or parts[:len(tested)] != tested:
        older = "older than" if parts < least else "of another series than"
        do = "Update %s." % name if parts < least else "Update memsift; if something fails, report both versions."
        section.find("%s is %s, %s what memsift was tested with (%s)." % (name, found, older, tested_version),
                     "Hooks may be called in another way there.", do, ADVICE)


def compare_copies(name: str, theirs: str, ours: str, command: str, section: Section) -> None:
    """Find a host whose copy of the plugin is of another version than this one, on the same files."""
    if theirs and theirs != ours:
        section.find("%s runs memsift %s, and this is %s." % (name, theirs, ours),
                     "Both work on the same files; the older one may not know what the newer one wrote.", command)
