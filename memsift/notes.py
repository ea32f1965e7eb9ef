"""The working notes: digest.md and draft.md, one note a line, which the user may edit with any editor.

A line that is not a note (a heading, a remark, a broken line) is left as it is. Only the lines that are named are
ever rewritten; every other line keeps its bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from collections.abc import Iterator

from memsift import files
from memsift import lock
from memsift.entry import PENDING
from memsift.entry import Entry
from memsift.excerpt import one_line
from memsift.home import Home
from memsift.home import digest

WAIT_SECONDS = 5.0
_HEADING = ("# Notes of this project, kept by memsift\n\n"
            "One note a line. Edit, add or delete lines as you like.\n\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_START = re.compile(r"[-*] +(?:(?P<date>\d{4}-\d\d-\d\d) +)?(?:\[(?P<id>[A-Za-z0-9_.-]{1,60})\] +)?")
_OWN_ID = r"[a-z][0-9a-f]{9,10}\Z"  # as a string, since it is compiled when it is first needed
_FACT = re.compile(r'\b([a-z]+)=(?:"([^"]*)"|(\S+))')


def parse(text: str) -> list[Entry]:
    """The notes of a file, in its order; a note without an id, or with one that is taken, gets one from its words."""
    return [note for _, note in lines(text) if note]


def lines(text: str) -> Iterator[tuple[str, Entry | None]]:
    """Each line with its newline, and its note; no two notes have the same id."""
    taken: set[str] = set()
    again = 0
    for line in _LINE.findall(text):
        note = parse_line(line.lstrip("\ufeff"))
        while note and note.id in taken:
            again += 1
            note.id = _id_of_words("%s %d" % (note.text, again))
        if note:
            taken.add(note.id)
        yield line, note


def parse_line(line: str) -> Entry | None:
    """The note of a line, or None for a line that is none (also one that is not text)."""
    start = _START.match(line)
    if not start or _is_binary(line):
        return None
    text, facts = _split_facts(line[start.end():].strip())
    date, id = start.group("date") or "", start.group("id") or ""
    if id and not date and facts is None and not re.match(_OWN_ID, id):
        text, id = "[%s] %s" % (id, text), ""  # the user's own brackets: "- [backend] is written in Go"
    facts = facts or {}
    if not text:
        return None
    return Entry(
        id or _id_of_words(text), date, text, files=[name for name in facts.get("files", "").split(", ") if name],
        said=facts.get("said", ""), turn=facts.get("turn", ""), mark=facts.get("mark", ""),
        replaces=facts.get("replaces", ""), passed=[name for name in facts.get("passed", "").split(",") if name],
    )


def _split_facts(text: str) -> tuple[str, dict[str, str] | None]:
    """The text of a note, and what the comment at its end says about it, or None without one."""
    start = text.rfind("<!--")
    if start < 0 or not text.endswith("-->") or ">" in text[start:-3]:
        return text, None
    facts = {name: quoted or bare for name, quoted, bare in _FACT.findall(text[start + 4:-3])}
    return text[:start].rstrip(), facts


def _id_of_words(text: str) -> str:
    return "h" + digest(text, 10)


def _is_binary(line: str) -> bool:
    if line.isascii():  # nearly every line, and far faster than a look at each character
        return "\0" in line
    return "\0" in line or any("\udc80" <= character <= "\udcff" for character in line)


def format_line(note: Entry) -> str:
    """The line of a note, on one line whatever its text holds."""
    facts = [(name, _fact(getattr(note, name))) for name in ("said", "turn", "mark", "replaces")]
    facts.append(("passed", ",".join(map(_fact, note.passed))))
    written = [('%s="%s"' if any(map(str.isspace, value)) else "%s=%s") % (name, value) for name, value in facts if value]
    if note.files:
        written.append('files="%s"' % ", ".join(_fact(name) for name in note.files))
    comment = " <!-- %s -->" % " ".join(written) if written or not note.date else ""
    return "- %s [%s] %s%s" % (note.date, note.id, one_line(note.text).replace("<!--", "< !--"), comment)


def _fact(value: str) -> str:
    return one_line(value).replace('"', "'").replace("<", "(").replace(">", ")")


def load(home: Home, repository: str) -> list[Entry]:
    """All working notes, the digest's first. Raises OSError for a file that is there and cannot be read."""
    return [note for path in paths(home, repository) for note in parse(files.read_text(path))]


def paths(home: Home, repository: str) -> tuple[str, str]:
    """The two files of working notes, the older one first."""
    return home.digest(repository), home.draft(repository)


def append(home: Home, repository: str, new: list[Entry]) -> None:
    """Add notes to the draft; one whose id is already there is not added again.

    The file is written on and not replaced, so that whoever has it open in an editor can save it.
    """
    path = home.draft(repository)
    while True:
        with lock.opened(path, WAIT_SECONDS) as descriptor:
            text = files.read_bytes(path).decode("utf-8", "surrogateescape")
            added = _new_lines(text, new)
            if added:
                files.append_line(descriptor, files.encode(added if text else _HEADING + added))
            if not added or lock.is_at(path, descriptor):
                return


def _new_lines(text: str, new: list[Entry]) -> str:
    known = {note.id for note in parse(text)}
    return "".join({note.id: format_line(note) + "\n" for note in new if note.id not in known}.values())


def settle(home: Home, repository: str, new: list[Entry], changed: list[Entry]) -> None:
    """Add notes to the draft, and give corrections that wait there their new state, in one step.

    Of a changed note only the state is written: its words may have been edited meanwhile.
    """
    states = {note.id: note for note in changed}

    def change(text: str) -> str:
        added = _new_lines(text, new)
        text = "".join(_with_state(line, note, states) for line, note in lines(text))
        return _with_newline(text or _HEADING) + added if added else text
    if states:
        rewrite(home.draft(repository), change)
    else:
        append(home, repository, new)


def _with_state(line: str, note: Entry | None, states: dict[str, Entry]) -> str:
    """The line of a correction that waits, with the state that it has now; any other line as it is."""
    state = states.get(note.id) if note else None
    if note is None or state is None or note.mark != PENDING:
        return line
    ending = line[len(line.rstrip("\r\n")):]
    return format_line(note.but(mark=state.mark, passed=state.passed, replaces=state.replaces)) + ending


def remove(home: Home, repository: str, ids: set[str]) -> None:
    """Take notes out of both files, every other line unchanged."""
    def drop(text: str) -> str:
        return "".join(line for line, note in lines(text) if not (note and note.id in ids))
    for path in paths(home, repository):
        if os.path.exists(path):
            rewrite(path, drop)


def move(home: Home, repository: str, new: list[str], gone: dict[str, int], gone_from_draft: dict[str, int]) -> None:
    """Write lines into the digest and take lines out of both files, first there, then here.

    Lines are named by all of their text: one that was edited meanwhile stays. With each stands how often it is to be
    left, so that doing it twice takes no more away.
    """
    def into_digest(text: str) -> str:
        kept = without(text, gone)
        known = {note.id for note in parse(kept)}
        added = [line + "\n" for line in dict.fromkeys(new) for note in [parse_line(line)] if note and note.id not in known]
        return _with_newline(kept or _HEADING) + "".join(added) if added else kept
    rewrite(home.digest(repository), into_digest)
    rewrite(home.draft(repository), lambda text: without(text, gone_from_draft))
    edited = {note.id for note in parse(files.read_text(home.draft(repository)))}
    stale = {line: 0 for line in new for note in [parse_line(line)] if note and note.id in edited}
    if stale:  # edited between the two steps: the edit stands
        rewrite(home.digest(repository), lambda text: without(text, stale))


def without(text: str, gone: dict[str, int]) -> str:
    """The text with some of its lines left only so many times, the first ones; a byte-order mark stays where it is."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    left = dict(gone)
    kept = []
    for line in _LINE.findall(text[len(mark):]):
        bare = line.rstrip("\r\n")
        if left.get(bare, 1) > 0:
            kept.append(line)
        if bare in left:
            left[bare] -= 1
    return mark + "".join(kept)


def _with_newline(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def rewrite(path: str, change: Callable[[str], str]) -> None:
    """Change a notes file as it is at this moment, while no other process of ours does. `change` may be called again,
    where somebody's editor has saved the file meanwhile."""
    while True:
        with lock.opened(path, WAIT_SECONDS):
            seen = files.look(path)
            raw = files.read_bytes(path).decode("utf-8", "surrogateescape")
            changed = change(raw)
            if changed == raw or files.write_text(path, changed, seen):
                return


def estimate(note: Entry) -> int:
    """About how many tokens a note costs a model."""
    return len(format_line(note).encode("utf-8", "replace")) // 4 + 1
