"""The report as text: what is wrong comes first, the facts below it."""

from __future__ import annotations

import re
import textwrap

from memsift.doctor.case import counted
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import PROBLEM
from memsift.doctor.finding import Finding
from memsift.doctor.finding import Report
from memsift.doctor.finding import Section

_KEPT_SPACE = "\u00a0"  # which textwrap does not break at


def render(report: Report, width: int = 100, most: int = 0) -> str:
    """The whole report. `most`: leave facts out, and then findings, so that it has at most so many characters."""
    lines = [headline(report), ""]
    for number, finding in enumerate(report.of(PROBLEM) + report.of(ADVICE), 1):
        lines += _finding(number, finding, width) + [""]
    text = "\n".join(lines + _facts(report.sections, width))
    if most and len(text) > most:
        text = _shortened(lines, report, most)
    return text.rstrip() + "\n"


def headline(report: Report) -> str:
    """One line: how many problems, and how much advice."""
    problems, advice = len(report.of(PROBLEM)), len(report.of(ADVICE))
    if not problems and not advice:
        return "memsift doctor: all is well."
    parts = [counted(problems, "problem")] if problems else ["no problem"]
    parts += ["%d piece%s of advice" % (advice, "" if advice == 1 else "s")] if advice else []
    return "memsift doctor: %s." % ", ".join(parts)


def _finding(number: int, finding: Finding, width: int) -> list[str]:
    mark = "%2d. " % number
    parts = [(mark, finding.what), ("    why: ", finding.why), ("    do:  ", finding.do)]
    return [line for start, text in parts for line in _wrapped(text, start, width)]


def _wrapped(text: str, start: str, width: int) -> list[str]:
    """Broken between words only, and never inside of `a command`: cut in two, it can be neither read nor pasted."""
    text = re.sub("`[^`]*`", lambda command: command.group().replace(" ", _KEPT_SPACE), text)
    lines = textwrap.wrap(text, width, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False,
                          break_on_hyphens=False) or [start.rstrip()]
    return [line.replace(_KEPT_SPACE, " ") for line in lines]


def _facts(sections: list[Section], width: int) -> list[str]:
    lines: list[str] = []
    for section in sections:
        if not section.facts:
            continue
        lines.append(section.title)
        for name, value in section.facts:
            lines += _wrapped("%s: %s" % (name, value), "    ", width)
    return lines


def _shortened(lines: list[str], report: Report, most: int) -> str:
    """As many findings as fit; the rest is counted, since what is left out silently is lost."""
    end = "\n(The facts are left out here: run doctor in a terminal to see them.)"
    text = "\n".join(lines)
    if len(text) + len(end) <= most:
        return text + end
    cut = text[:most - len(end)].rpartition("\n\n")[0]
    left = len(report.of(PROBLEM) + report.of(ADVICE)) - cut.count("    do:  ")
    return "%s\n\n(%d more.)%s" % (cut, left, end)
