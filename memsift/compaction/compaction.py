"""What a compaction does to the working notes, decided from what they say. Nothing here reads, sends or writes.

A Change takes notes away and says what stands in their place. The changes that the code makes by itself are made here;
those that a model proposes come, checked, from compaction_answer. `steps` turns them into what is written where.
"""

from __future__ import annotations

from memsift import doubt
from memsift import notes
from memsift import orders
from memsift.compaction.wording import Saying
from memsift.entry import CONSIDERED
from memsift.entry import PENDING
from memsift.entry import RULE
from memsift.entry import WITHDRAWN
from memsift.entry import Entry
from memsift.redact import redact

MOST_TOKENS = 8_000  # of the working notes together, before they are compacted
MOST_DIGEST_TOKENS = 3_000  # before the digest is emptied


class Change:
    """Notes that leave, by id, and why. `entry`: the note that is written in their place, or None. `instead`: the id of
    one that is there already and says what they say. `archived`: those of them that are kept word for word."""

    __slots__ = ("sources", "why", "entry", "instead", "archived")

    def __init__(self, sources: list[str], why: str, entry: Entry | None = None, instead: str = "",
                 archived: list[Entry] | tuple[Entry, ...] = ()) -> None:
        self.sources = sources
        self.why = why
        self.entry = entry
        self.instead = instead
        self.archived = list(archived)


class Steps:
    """What is to be written, in this order: entries for the archive, a packet for the long-term store with ids to forget
    in it, lines into and out of the digest, lines out of the draft. Lines are named by all of their text; with one that
    goes stands how often it is to be left."""

    __slots__ = ("archive", "send", "forget", "digest_new", "digest_gone", "draft_gone")

    def __init__(self) -> None:
        self.archive: list[Entry] = []
        self.send: list[Entry] = []
        self.forget: list[str] = []
        self.digest_new: list[str] = []
        self.digest_gone: dict[str, int] = {}
        self.draft_gone: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self.digest_new or self.digest_gone or self.draft_gone)


def is_movable(note: Entry) -> bool:
    """Whether a note of the draft may go to the digest; a correction waits there for its proof."""
    return note.mark != PENDING


def clean(found: list[Entry]) -> list[Change]:
    """The changes that need no model: what was taken back, orders, what a later note replaces, and repetitions."""
    changes = [Change([note.id], "taken back") for note in found if note.mark == WITHDRAWN]
    changes += [Change([note.id], "an order to the agent") for note in found
                if note.mark not in (WITHDRAWN, RULE) and note.turn and orders.is_in(note.text)]
    gone = {id for change in changes for id in change.sources}
    for look in (_replaced, _decided, _repetitions):
        changes += look([note for note in found if note.id not in gone])
        gone = {id for change in changes for id in change.sources}
    return changes


def _replaced(found: list[Entry]) -> list[Change]:
    """What a note that counts takes the place of, and whatever that had taken the place of; newer notes come first."""
    by_id = {note.id: note for note in found}
    gone: dict[str, Change] = {}
    for note in reversed(found):
        old = by_id.get(note.replaces) if note.mark != PENDING and note.id not in gone else None
        while old and old.id != note.id and old.id not in gone:
            gone[old.id] = Change([old.id], "replaced", instead=note.id, archived=[old])
            old = by_id.get(old.replaces)
    return list(gone.values())


def _decided(found: list[Entry]) -> list[Change]:
    """Options that were only considered, and the later choice that ended that."""
    changes: list[Change] = []
    for place, option in enumerate(found):
        later = [note for note in found[place + 1:] if note.mark == "" and not note.replaces and note.said != "agent"
                 and doubt.settles(note.text, option.text)] if option.mark == CONSIDERED else []
        taken = {id for change in changes for id in change.sources}
        if later and later[-1].id not in taken:
            choice = later[-1]
            changes.append(Change([option.id, choice.id], "decided", choice.but(replaces=option.id), archived=[option]))
    return changes


def _repetitions(found: list[Entry]) -> list[Change]:
    """Notes of which another one says everything; of two that say the same, the older one stays."""
    waiting = {note.replaces for note in found if note.mark == PENDING}
    sayings = [(Saying(note.text), note) for note in found]
    stands_for: dict[str, str] = {}
    for place, (saying, note) in enumerate(sayings):
        if note.mark in (PENDING, RULE) or note.id in waiting or note.replaces:
            continue
        for number, (other_saying, other) in enumerate(sayings):
            if number == place or stands_for.get(other.id) == note.id or not _may_stand_for(other, note) \
                    or not saying.is_in(other_saying):
                continue
            if number < place or not (other_saying.is_in(saying) and _may_stand_for(note, other)):
                stands_for[note.id] = other.id
                break
    return [Change([id], "repeated", instead=_last(id, stands_for)) for id in stands_for]


def _may_stand_for(other: Entry, note: Entry) -> bool:
    """Whether the other note, where it says as much, can be kept alone: an option is no choice, and pointers count."""
    return (other.mark == note.mark or other.mark not in (CONSIDERED, PENDING) and note.mark in ("", CONSIDERED)) \
        and set(note.files) <= set(other.files)


def _last(id: str, stands_for: dict[str, str]) -> str:
    seen = {id}
    while id in stands_for and stands_for[id] not in seen:
        id = stands_for[id]
        seen.add(id)
    return id


def still_fits(change: Change, planned: dict[str, str], now: dict[str, str]) -> bool:
    """Whether a change may still be made: nobody has edited or deleted a note that it is about. Lines by id."""
    ids = change.sources + ([change.instead] if change.instead else [])
    return all(id in now and now[id] == planned.get(id) for id in ids)


def steps(digest: list[tuple[str, Entry]], draft: list[tuple[str, Entry]], changes: list[Change],
          archived: dict[str, Entry]) -> Steps:
    """What is to be written. `digest`, `draft`: their notes with the lines they stand in. `archived`: what the archive
    holds of these notes by now."""
    found = Steps()
    gone = {id for change in changes for id in change.sources}
    found.draft_gone = _left(draft, {note.id for _, note in draft if note.id in gone or is_movable(note)})
    new = [(line, note) for line, note in draft if is_movable(note) and note.id not in gone]
    new += [(notes.format_line(change.entry), change.entry) for change in changes if change.entry]
    staying = [(line, note) for line, note in digest if note.id not in gone]
    is_emptied = is_long([note for _, note in staying + new])
    emptied = [(line, note) for line, note in staying if is_emptied and note.mark not in (RULE, PENDING)]
    found.digest_gone = _left(digest, gone | {note.id for _, note in emptied})
    found.digest_new = [line for line, note in new if not is_emptied or note.mark == RULE]
    cleaned = [_clean(note) for _, note in new + emptied]
    unknown = [note for note in cleaned if not is_same(note, archived.get(note.id))]
    found.archive = [_clean(note) for change in changes for note in change.archived] + unknown
    found.send = [note for note in cleaned if note in unknown or note.id in {each.id for _, each in new}]
    kept = {note.id for note in cleaned}
    found.forget = sorted((gone | {note.replaces for note in found.send if note.replaces}) - kept)
    return found


def _left(pairs: list[tuple[str, Entry]], gone: set[str]) -> dict[str, int]:
    """The lines of notes that go, and how many lines of the same text stay."""
    stay = [line for line, note in pairs if note.id not in gone]
    return {line: stay.count(line) for line, note in pairs if note.id in gone}


def is_long(digest: list[Entry]) -> bool:
    """Whether a digest of these notes has to be emptied."""
    return sum(map(notes.estimate, digest)) >= MOST_DIGEST_TOKENS


def is_same(note: Entry, other: Entry | None) -> bool:
    """Whether an archived copy says what the note says."""
    return other is not None and note.facts() == other.facts()


def _clean(note: Entry) -> Entry:
    """A note as it may be written anywhere else than in its owner's own line."""
    return note.but(text=redact(note.text), files=[redact(name) for name in note.files], passed=[])
