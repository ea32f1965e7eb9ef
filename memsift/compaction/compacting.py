"""Doing a compaction: read, have a model look where one is set, decide, and write so that a crash at any step leaves the
old notes or the new ones.

What is to be written is put down first, as a whole (compaction.json). From then on the compaction counts: whoever comes
next does the rest of it. Every step may be done twice. Lines are named by all of their text, so that a line which was
edited by hand meanwhile is left alone, and what is written by others meanwhile stays.
"""

from __future__ import annotations

import json
import os
import sqlite3

from memsift import corrections
from memsift import files
from memsift import lock
from memsift import notes
from memsift.archive.archive import Archive
from memsift.archive.archive_keeper import ArchiveKeeper
from memsift.compaction import compaction
from memsift.compaction import proposal
from memsift.compaction.compaction import Change
from memsift.compaction.compaction import Steps
from memsift.entry import RULE
from memsift.entry import Entry
from memsift.longterm import outbox
from memsift.runtime import Runtime

_ARCHIVE_SECONDS = 30.0  # another process may be writing it


class NotArchived(Exception):
    """The archive does not hold what was put into it, so nothing leaves the notes."""


def compact(repository: str, runtime: Runtime) -> dict | None:
    """Compact the notes of a repository now, and say in plain values what was done; None where another process does it.

    Raises OSError, sqlite3.Error, lock.Locked or NotArchived: the notes are then as they were, or the rest is done the
    next time.
    """
    try:
        with lock.held(runtime.home.compaction_lock(repository)):
            _finish(repository, runtime)
            _let_corrections_expire(repository, runtime)
            facts = _compact(repository, runtime)
    except lock.Locked as error:
        if str(error) != runtime.home.compaction_lock(repository):
            raise
        return None
    runtime.log.decision(proposal.AREA, facts)
    return facts


def finish(repository: str, runtime: Runtime) -> None:
    """Do the rest of a compaction whose process was killed. Raises as `compact` does."""
    if os.path.exists(runtime.home.compaction(repository)):
        with lock.held(runtime.home.compaction_lock(repository)):
            _finish(repository, runtime)


def is_full(repository: str, runtime: Runtime) -> bool:
    """Whether the working notes have become too long. Raises OSError."""
    if sum(map(files.size, notes.paths(runtime.home, repository))) // 4 < compaction.MOST_TOKENS:
        return False  # spares most workers reading them
    return sum(map(notes.estimate, notes.load(runtime.home, repository))) >= compaction.MOST_TOKENS


def _compact(repository: str, runtime: Runtime) -> dict:
    _let_one_of_two_stand(repository, runtime)
    digest, draft = _lines(repository, runtime)
    if not any(compaction.is_movable(note) for _, note in draft) and not compaction.is_long([note for _, note in digest]):
        return {"notes": len(draft), "changes": 0}
    found = [note for _, note in digest + draft]
    changes = compaction.clean(found)
    gone = {id for change in changes for id in change.sources}
    draft_left, digest_left = ([note for _, note in pairs if note.id not in gone] for pairs in (draft, digest))
    proposed, told = proposal.ask(draft_left, digest_left, found, runtime)
    planned = _by_id(digest + draft)
    digest, draft = _lines(repository, runtime)  # as they are now: asking takes a while
    now = _by_id(digest + draft)
    changes = [change for change in changes + proposed if compaction.still_fits(change, planned, now)]
    archive = Archive(runtime.home.archive(repository), wait=_ARCHIVE_SECONDS)
    archived = {entry.id: entry for entry in archive.get(list(now))}
    steps = compaction.steps(digest, draft, changes, archived)
    if steps:
        files.write_text(runtime.home.compaction(repository), _format(steps))
        _finish(repository, runtime)
    gone = {id for change in changes for id in change.sources}
    moved = sum(compaction.is_movable(note) and note.id not in gone for _, note in draft)
    return dict(told, notes=len(draft), moved=moved, archived=len(steps.archive), emptied=len(steps.digest_gone),
                changes=len(changes), why=_counts(changes))


def _lines(repository: str, runtime: Runtime) -> list[list[tuple[str, Entry]]]:
    """The notes of the digest and of the draft, each with its line."""
    return [_notes_with_lines(files.read_text(path)) for path in notes.paths(runtime.home, repository)]


def _notes_with_lines(text: str) -> list[tuple[str, Entry]]:
    """A note below a heading that speaks of rules is one, however it was written."""
    found, is_below = [], False
    for line, note in notes.lines(text):
        if line.startswith("#"):
            is_below = "rules" in line.lower()
        if note:
            found.append((line.rstrip("\r\n"), note.but(mark=RULE) if is_below else note))
    return found


def _let_one_of_two_stand(repository: str, runtime: Runtime) -> None:
    """A note that somebody's editor has put back into the draft: the one of the two that was edited stands."""
    digest, draft = _lines(repository, runtime)
    twice = _by_id(digest).keys() & _by_id(draft).keys()
    if not twice:
        return
    archive = Archive(runtime.home.archive(repository), wait=_ARCHIVE_SECONDS)
    archived = {entry.id: entry for entry in archive.get(twice)}
    is_edited = {note.id for _, note in digest if note.id in twice and not compaction.is_same(note, archived.get(note.id))}
    standing = _by_id(digest)
    out_of_draft = {line: 0 for line, note in draft if note.id in is_edited or standing.get(note.id) == line}
    out_of_digest = {line: 0 for line, note in digest if note.id in twice - is_edited and line not in out_of_draft}
    notes.move(runtime.home, repository, [], out_of_digest, out_of_draft)


def _by_id(pairs: list[tuple[str, Entry]]) -> dict[str, str]:
    return {note.id: line for line, note in pairs}


def _counts(changes: list[Change]) -> dict[str, int]:
    reasons = [change.why for change in changes]
    return {reason: reasons.count(reason) for reason in sorted(set(reasons))}


def _let_corrections_expire(repository: str, runtime: Runtime) -> None:
    over = corrections.expired(notes.load(runtime.home, repository), runtime.today())
    if over:
        notes.settle(runtime.home, repository, [], over)


def _format(steps: Steps) -> str:
    facts = {name: getattr(steps, name) for name in Steps.__slots__}
    for name in ("archive", "send"):
        facts[name] = [entry.facts() for entry in facts[name]]
    return json.dumps(dict(facts, version=1)) + "\n"  # in ASCII: whatever bytes a line has, they come back


def _finish(repository: str, runtime: Runtime) -> None:
    """Do what was put down, and forget it when it is done."""
    path = runtime.home.compaction(repository)
    text = files.read_text(path)
    if not text:
        return
    try:
        facts = json.loads(text)
        entries = {name: [Entry(**fields) for fields in facts[name]] for name in ("archive", "send")}
    except (ValueError, TypeError, KeyError) as error:
        os.replace(path, path + ".broken")  # somebody has edited it: the notes are as they were
        runtime.log.error(proposal.AREA, "%s is not as it was written, set aside: %s" % (path, error))
        return
    _archive(entries["archive"], repository, runtime)
    if runtime.settings["MEMSIFT_COGNEE_URL"] and (entries["send"] or facts["forget"]):
        outbox.put(runtime.home, repository, entries["send"], facts["forget"])
    files.write_text(path, json.dumps(dict(facts, archive=[], send=[], forget=[])) + "\n")  # never a second time
    notes.move(runtime.home, repository, facts["digest_new"], facts["digest_gone"], facts["draft_gone"])
    os.unlink(path)


def _archive(entries: list[Entry], repository: str, runtime: Runtime) -> None:
    """Put entries into the archive and see that they are there."""
    if not entries:
        return
    ArchiveKeeper(runtime.home, repository, runtime.log).add(entries)
    archive = Archive(runtime.home.archive(repository), wait=_ARCHIVE_SECONDS)
    there = {entry.id: entry for entry in archive.get([entry.id for entry in entries])}
    missing = [entry.id for entry in entries if not compaction.is_same(_as_archived(entry), there.get(entry.id))]
    if missing:
        raise NotArchived("%d entries, among them %s" % (len(missing), missing[0]))


def _as_archived(entry: Entry) -> Entry:
    """Half an emoji is no text to the archive."""
    return entry.but(text=entry.text.encode("utf-8", "replace").decode("utf-8"))


def attempt(repository: str, runtime: Runtime) -> None:
    """`compact` for the worker: what goes wrong is told to the log, and the notes wait for the next time."""
    try:
        compact(repository, runtime)
    except (OSError, sqlite3.Error, lock.Locked, NotArchived) as error:
        runtime.log.error(proposal.AREA, "not compacted: %s" % error, error)


def attempt_to_finish(repository: str, runtime: Runtime) -> None:
    """`finish` for the worker, likewise."""
    try:
        finish(repository, runtime)
    except (OSError, sqlite3.Error, lock.Locked, NotArchived) as error:
        runtime.log.error(proposal.AREA, "not finished: %s" % error, error)
