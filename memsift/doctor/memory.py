"""What is remembered: how much, and every file or line that cannot be read."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator

from memsift import files
from memsift import notes
from memsift.doctor.case import Case
from memsift.doctor.case import counted
from memsift.doctor.case import paths_in
from memsift.doctor.finding import Section
from memsift.longterm import datasets

_KEPT = "Everything else in the file still works, and memsift leaves that line as it is."
_MOST_LINES = 3  # that are named of one file
_JSON_FILES = ("cognee-index.json", "processing.json", "compaction.json")


def examine(case: Case) -> Section:
    """The files of all repositories; the figures are this one's."""
    section = Section("memory")
    for repository in case.repositories():
        folder = case.path("repos", repository)
        is_here = bool(case.project) and repository == case.project.name
        for name in ("digest.md", "draft.md"):
            _look_at_notes(os.path.join(folder, name), is_here, section)
        _look_at_lines(os.path.join(folder, "pending.jsonl"), section)
        for name in _JSON_FILES:
            _look_at_json(os.path.join(folder, name), "It is made anew when it is next needed.", section)
        for path in paths_in(os.path.join(folder, "outbox")):
            if path.endswith(".json"):
                _look_at_json(path, "That packet does not leave; the others do.", section)
        _look_at_archive(os.path.join(folder, "archive.db"), is_here, section)
        _look_for_set_aside(folder, section)
    if case.project and case.project.name not in case.repositories():
        section.say("notes", "none yet in this repository")
    _look_at_json(case.path("state.json"), "Pauses are not known until then, and the file is set aside when it is next "
                  "written.", section)
    _look_at_sessions(case, section)
    _look_at_datasets(case.path("datasets.md"), section)
    _look_for_set_aside(case.root, section)
    return section


def _read(path: str, section: Section) -> str | None:
    """The text of a file, None where there is none; one that cannot be read is found."""
    try:
        return files.read_text(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        section.find("%s cannot be read: %s." % (path, error.strerror or error),
                     "memsift goes on without it, and changes nothing in it.",
                     "Make it a plain file that you can read and write (chmod 600).")
        return None


def _look_at_notes(path: str, is_here: bool, section: Section) -> None:
    text = _read(path, section)
    if text is None:
        return
    if is_here:
        section.say(os.path.basename(path), counted(len(notes.parse(text)), "note"))
    broken = [number for number, line in enumerate(text.split("\n"), 1) if _is_broken_note(line)]
    _name_lines(path, broken, "is no note that can be read", "Nobody is shown it.",
                "Correct or delete it with any editor.", section)


def _is_broken_note(line: str) -> bool:
    """A line that was meant as a note (a remark or a heading was not), or that is no text at all."""
    return "\0" in line or any("\udc80" <= character <= "\udcff" for character in line) \
        or line.startswith(("- ", "* ")) and notes.parse_line(line) is None


def _look_at_lines(path: str, section: Section) -> None:
    broken = [number for number, line in enumerate((_read(path, section) or "").split("\n"), 1)
              if line.strip("\0\r\ufeff ") and not _is_object(line) or "\0" in line]
    _name_lines(path, broken, "is no turn that can be read", "It will never be sorted.",
                "Correct it if you can see what is wrong with it, or delete it.", section)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line.strip("\0\r\ufeff ")), dict)
    except ValueError:
        return False


def _name_lines(path: str, numbers: list[int], what: str, why: str, do: str, section: Section) -> None:
    for number in numbers[:_MOST_LINES]:
        section.find("%s, line %d %s." % (path, number, what), "%s %s" % (why, _KEPT), do)
    if len(numbers) > _MOST_LINES:
        section.find("%s has %d more such lines." % (path, len(numbers) - _MOST_LINES), why, do)


def _look_at_json(path: str, then: str, section: Section) -> None:
    text = (_read(path, section) or "").strip("\0 \r\n\ufeff")
    if text and not _is_object(text):
        section.find("%s is broken." % path, then, "Delete it, or correct it: it is plain JSON.")


def _look_at_sessions(case: Case, section: Section) -> None:
    paths = [path for path in paths_in(case.path("sessions")) if path.endswith(".json")]
    for path in paths:
        _look_at_json(path, "That session begins anew, and the file is set aside.", section)
    section.say("sessions", len(paths))


def _look_at_datasets(path: str, section: Section) -> None:
    broken = datasets.broken_lines(_read(path, section) or "")
    _name_lines(path, broken, "says no purpose of a dataset", "That dataset is not asked.",
                "Write it as the other lines are: a name, and what it is for.", section)


def _look_at_archive(path: str, is_here: bool, section: Section) -> None:
    if not os.path.exists(path):
        return
    try:
        os.close(files.open_plain(path))
        count, state = count_entries(path), _check(path)
    except (OSError, sqlite3.Error) as error:
        section.find("The archive %s cannot be read: %s." % (path, error), "What left the notes is not found again.",
                     "Make it readable. If it is corrupt, memsift sets it aside at the next turn and reads back what it can.")
        return
    if state != "ok":
        section.find("The archive %s is damaged: %s." % (path, state),
                     "Some of what left the notes may not be found again.",
                     "Nothing: where memsift meets the damage, it sets the file aside and reads back what it can.")
    if is_here:
        section.say("archive", counted(count, "entry").replace("entrys", "entries"))


def count_entries(path: str) -> int:
    """How many entries an archive has. Raises sqlite3.Error."""
    with _reading(path) as connection:
        if not connection or not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone():
            return 0
        return connection.execute("SELECT count(*) FROM entries").fetchone()[0]


def _check(path: str) -> str:
    """"ok", or what is wrong with the file."""
    with _reading(path) as connection:
        return connection.execute("PRAGMA quick_check(1)").fetchone()[0]


@contextlib.contextmanager
def _reading(path: str) -> Iterator[sqlite3.Connection | None]:
    """A connection that cannot write, so that not even a journal is made; None where there is no file."""
    if not os.path.exists(path):
        yield None
        return
    address = "file:%s?mode=ro" % path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(address, uri=True, timeout=1.0)
    try:
        yield connection
    finally:
        connection.close()


def _look_for_set_aside(folder: str, section: Section) -> None:
    """Files that were broken and that memsift put out of its way."""
    for path in paths_in(folder):
        if path.endswith(".broken") or ".corrupt-" in os.path.basename(path):
            section.find("%s was broken and has been set aside." % path,
                         "A new file has taken its place; what only the old one held is not used.",
                         "Look whether you need anything of it, then delete it.")
