"""Which remembered entries the sorter is shown for a prompt: all working notes, and the archive's best matches."""

from __future__ import annotations

import sqlite3

from memsift import corrections
from memsift import files
from memsift import notes
from memsift.archive.archive import Archive
from memsift.conversation import Conversation
from memsift.entry import Entry
from memsift.home import Home
from memsift.likeness import says_the_same
from memsift.likeness import words
from memsift.log import Log

FROM_ARCHIVE = 20
_RECENT_MESSAGES = 2
_RECENT_CHARACTERS = 600


class Query:
    """What the archive is searched with: the `prompt` and, counting less, the exchange `before` it."""

    __slots__ = ("prompt", "before")

    def __init__(self, prompt: str, before: str = "") -> None:
        self.prompt = prompt
        self.before = before


def query(prompt: str, conversation: Conversation) -> Query:
    """What to search for at a prompt, which may say little without the last exchange."""
    recent = [message.text[-_RECENT_CHARACTERS:] for message in conversation.messages[-_RECENT_MESSAGES:]]
    return Query(prompt, "\n".join(recent))


def gather(home: Home, repository: str, query: Query, log: Log) -> list[Entry]:
    """The candidates for a query, each id once; a working note stands for its archived copy.

    A place that cannot be read is logged and the other one still answers.
    """
    noted: dict[str, Entry] = {}
    for path in notes.paths(home, repository):
        try:
            noted.update((note.id, note) for note in notes.parse(files.read_text(path)))
        except OSError as error:
            log.error("core-prompt", "notes: %s" % error, error)
    archived: list[Entry] = []
    try:
        archive = Archive(home.archive(repository))
        archived = archive.closest(query.prompt, FROM_ARCHIVE, before=query.before, without=noted)
    except (OSError, sqlite3.Error) as error:
        log.error("core-prompt", "archive: %s" % error, error)
    return corrections.shown(archived + list(noted.values()))


def already_said(entries: list[Entry], conversation: Conversation, given: set[str], turns: set[str]) -> set[str]:
    """The ids of the entries that the agent still sees.

    They were given to it, or come from one of the `turns` it went through, or stand in the conversation in any words.
    """
    messages = [words(message.text) for message in conversation.messages if message.role != "memory"]
    return {entry.id for entry in entries
            if entry.id in given or entry.turn in turns or _stands_in(words(entry.text), messages)}


def _stands_in(wanted: set[str], messages: list[set[str]]) -> bool:
    return any(says_the_same(wanted, message) for message in messages)
