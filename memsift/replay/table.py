"""The numbers of a replay for people: a table, what it says in words, and what unlabelled recordings got."""

from __future__ import annotations

import os
import unicodedata

from memsift import redact
from memsift.replay import score
from memsift.replay.play import RECALLED
from memsift.replay.play import SIFTED
from memsift.replay.play import Played

WIDTH = 110
_HEADINGS = (("", "conversation"), ("", "prompts"), ("", "added"), ("", "characters"), ("added for", "nothing"),
             ("reminders", "found"), ("wait in ms,", "median / p95"), ("turns", "kept"), ("rightly", "kept"))
_LONGEST_NAME = 22
_TITLES = {SIFTED: "memsift", RECALLED: "recall on every prompt"}
_SUBJECTS = {SIFTED: "memsift", RECALLED: "Recall on every prompt"}
_MOST_PROMPTS = 10
_MOST_KEPT = 10


def render(played: list[Played], way: str) -> str:
    """Everything that a replay prints without --json."""
    parts = [_table(played, way), _in_words(played, way)]
    parts += [_story(one, way) for one in played if not one.recording.is_labelled]
    return "\n\n".join(parts)


def _table(played: list[Played], way: str) -> str:
    rows = [_row(_name(one.recording.path), score.total([one], way)) for one in played]
    totals = [_row(_TITLES[each], score.total(played, each)) for each in dict.fromkeys((way, RECALLED))]
    widths = [max(_width(row[i]) for row in rows + totals + [[line[1] for line in _HEADINGS],
                                                             [line[0] for line in _HEADINGS]])
              for i in range(len(_HEADINGS))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [_line([heading[i] for heading in _HEADINGS], widths) for i in (0, 1)] + [rule]
    lines += [_line(row, widths) for row in rows] + [rule]
    return "\n".join(lines + [_line(row, widths) for row in totals])


def _row(name: str, numbers: dict) -> list[str]:
    wait, kept = numbers["wait_ms"], numbers["kept"]
    return [name, _number(numbers["prompts"]), _number(numbers["added"]), _number(numbers["characters"]),
            _number(numbers["added_for_nothing"]), _of(numbers["reminders_found"], numbers["reminders_expected"]),
            "%s / %s" % (_time(wait["median"]), _time(wait["p95"])),
            _number(kept["kept"]), _of(kept["right"], kept["expected"])]


def _number(value: int | None) -> str:
    return "-" if value is None else "{:,}".format(value)


def _time(milliseconds: float) -> str:
    return "%.1f" % milliseconds if milliseconds < 100 else "{:,.0f}".format(milliseconds)


def _of(part: int | None, whole: int | None) -> str:
    return "-" if part is None else "%s of %s" % (_number(part), _number(whole))


def _line(cells: list[str], widths: list[int]) -> str:
    first = cells[0] + " " * (widths[0] - _width(cells[0]))
    return "  ".join([first] + [" " * (width - len(cell)) + cell
                                for cell, width in zip(cells[1:], widths[1:])]).rstrip()


def _in_words(played: list[Played], way: str) -> str:
    """What the numbers mean, for somebody who sees them for the first time; recall is what they are compared with."""
    numbers, recalled = score.total(played, way), score.total(played, RECALLED)

    def beside(name: str) -> str:
        return " (recall: %s)" % _number(recalled[name]) if way != RECALLED else ""
    sentences = ["%s added something to %s of %s prompts%s, %s characters in all%s." % (
        _SUBJECTS[way], _number(numbers["added"]), _number(numbers["prompts"]), beside("added"),
        _number(numbers["characters"]), beside("characters"))]
    needing = numbers["reminders_expected"]
    if needing is not None:
        sentences.append(
            "Of %s prompts that needed a note, %s got one that they needed%s; of %s that needed none, %s got something "
            "all the same%s." % (
                _number(needing), _number(numbers["reminders_found"]), beside("reminders_found"),
                _number(_labelled_prompts(played) - needing), _number(numbers["added_for_nothing"]),
                beside("added_for_nothing")))
    sentences.append("Wait: inside the prompt hook, without the start of its interpreter; for recall, the search alone.")
    return _wrap(" ".join(sentences))


def _labelled_prompts(played: list[Played]) -> int:
    return sum(bool(turn.gold) * len(turn.prompts) for one in played for turn in one.recording.turns)


def _story(played: Played, way: str) -> str:
    """Which prompts of a recording got which notes, and what was kept of it."""
    got = [outcome for outcome in played.outcomes[way] if outcome.context]
    lines = ["%s: prompts that got notes: %d, notes kept: %d" % (
        _name(played.recording.path), len(got), len(played.kept))]
    for outcome in got[:_MOST_PROMPTS]:
        lines.append(_cut("  > " + redact.redact(outcome.prompt), WIDTH))
        lines += [_cut("    " + line, WIDTH) for line in outcome.context.split("\n")[1:]]
    lines += ["  and %d more prompts" % (len(got) - _MOST_PROMPTS)] if len(got) > _MOST_PROMPTS else []
    lines += [_cut("  kept [%s] %s" % (note.id, note.text), WIDTH) for note in played.kept[:_MOST_KEPT]]
    lines += ["  and %d more notes" % (len(played.kept) - _MOST_KEPT)] if len(played.kept) > _MOST_KEPT else []
    return "\n".join(lines)


def _name(path: str) -> str:
    return _cut(os.path.basename(path), _LONGEST_NAME)


def _cut(text: str, width: int) -> str:
    """The beginning of a text on one line, without anything that a terminal would obey."""
    indent = text[:len(text) - len(text.lstrip(" "))]
    text = indent + " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if _width(text) <= width:
        return text
    while _width(text) > width - 3:
        text = text[:width - 3] if len(text) > width else text[:-1]
    return text.rstrip() + "..."


def _width(text: str) -> int:
    """Columns on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _wrap(text: str) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)
