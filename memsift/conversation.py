"""What was said in a session, read from the host's own record of it.

Each host turns a line of its file into Records; everything here is the same for all hosts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator

from memsift import tail
from memsift.event import Change
from memsift.excerpt import ending
from memsift.excerpt import excerpt
from memsift.judgement import Message

_GIVEN_ID = r"(?m)^- \[([^\]\s]{1,60})\]"  # as a string, since it is compiled when it is first needed
HEADER_START = "memsift:"
LONGEST_PROMPT = 60_000
TURN_BYTES = 32_000_000  # from the end of a record in which a turn is looked for


class Record:
    """One thing in a host's file.

    `kind`: "begin" (of the turn with the id `turn`), "prompt" (typed by the developer), "kept-out" (a prompt that is
    kept out of memory, and its turn with it), "answer" (text of the agent), "given" (what memsift added), "summary" and "compaction", or "change". `id`: the host's id of the record.
    `kept`, `kept_ids`: for a compaction, the messages and the earlier records that it left in the conversation.
    """

    __slots__ = ("kind", "text", "turn", "id", "kept", "kept_ids", "change")

    def __init__(self, kind: str, text: str = "", turn: str = "", id: str = "", kept: list[Message] | tuple = (),
                 kept_ids: list[str] | tuple = (), change: Change | None = None) -> None:
        self.kind = kind
        self.text = text
        self.turn = turn
        self.id = id
        self.kept = kept
        self.kept_ids = kept_ids
        self.change = change


Reader = Callable[[bytes], "list[Record]"]
_ROLES = {"prompt": "developer", "answer": "agent", "given": "memory", "summary": "summary"}


class Conversation:
    """What the agent still sees of the session: messages oldest first, and the ids of the notes it was given."""

    __slots__ = ("messages", "given")

    def __init__(self, messages: list[Message] | tuple = (), given: set[str] | frozenset = frozenset()) -> None:
        self.messages = list(messages)
        self.given = set(given)


class Turn:
    """The developer's prompts of one turn, the last text of the agent in it, and what memsift added to it."""

    __slots__ = ("prompts", "answer", "given")

    def __init__(self, prompts: list[str], answer: str = "", given: str = "") -> None:
        self.prompts = prompts
        self.answer = answer
        self.given = given


def recent(path: str, reader: Reader, characters: int = 12_000, limit: int = 2_000_000, before: str = "") -> Conversation:
    """The conversation since the last compaction: its last `characters`, looked for in the last `limit` bytes.

    With `before`, as it was when the turn with that id began, and not with all that was given. An absent file is a
    session that has just begun. Raises OSError for one that cannot be read.
    """
    messages: list[Message] = []  # newest first
    later = 0  # how many of them belong to later turns than the one that is being read
    given: set[str] = set()
    kept_ids: frozenset | None = None  # after the boundary was met: only these earlier records still count
    is_before = not before
    try:
        for record in _backwards(path, reader, limit):
            if not is_before:
                is_before = record.kind == "begin" and record.turn == before
            elif record.kind == "compaction":
                if kept_ids is not None:
                    break
                messages.extend(reversed(record.kept))
                kept_ids = frozenset(record.kept_ids)
                if not kept_ids:
                    break
            elif kept_ids is not None and record.id not in kept_ids:
                continue
            elif record.kind == "given":
                given.update(given_ids(record.text))
            elif record.kind == "kept-out":
                del messages[later:]
            if is_before and record.kind in _ROLES:
                messages.append(Message(_ROLES[record.kind], record.text))
            if record.kind in ("begin", "prompt"):
                later = len(messages)
                if before and sum(len(message.text) for message in messages) >= characters:
                    break
    except FileNotFoundError:
        return Conversation()
    return Conversation(_within(messages, characters), given)


def _within(newest_first: list[Message], characters: int) -> list[Message]:
    kept = []
    for message in newest_first:
        if characters <= 0:
            break
        kept.append(Message(message.role, ending(message.text, characters)))
        characters -= len(message.text)
    return kept[::-1]


def turn(path: str, reader: Reader, turn_id: str, limit: int = TURN_BYTES) -> Turn | None:
    """The turn with this id, or None where the file does not hold its beginning (yet). A turn that a notification
    began has no prompts.

    A forked session may repeat an id: the last turn that begins with it is meant.
    """
    found: list[Record] = []
    try:
        for record in _backwards(path, reader, limit):
            found.append(record)
            if record.kind == "begin" and record.turn == turn_id:
                return _assemble(found[::-1])
    except FileNotFoundError:
        return None
    return None


def turns_between(path: str, reader: Reader, last: str, known: set[str],
                  limit: int = TURN_BYTES) -> list[tuple[str, Turn]]:
    """The turns before the one called `last`, back to the newest `known` one, oldest first, with their ids.

    None where no known one is met: what came before memsift heard of the session is not its business.
    """
    found: list[tuple[str, Turn]] = []
    records: list[Record] = []
    met = False
    try:
        for record in _backwards(path, reader, limit):
            records.append(record)
            if record.kind != "begin":
                continue
            if record.turn == last:
                met = True
            elif met and record.turn in known:
                return found[::-1]
            elif met:
                found.append((record.turn, _assemble(records[::-1])))
            records = []
    except FileNotFoundError:
        pass
    return []


def _assemble(records: list[Record]) -> Turn:
    """The turn that the first record begins; a later beginning ends it."""
    found = Turn([])
    for record in records[1:]:
        if record.kind == "begin":
            break
        if record.kind == "kept-out":
            return Turn([])
        if record.kind == "prompt":
            found.prompts.append(excerpt(record.text, LONGEST_PROMPT))
        elif record.kind == "given":
            found.given += record.text + "\n"
        elif record.kind == "answer":
            found.answer = excerpt(record.text, LONGEST_PROMPT)
    return found


def _backwards(path: str, reader: Reader, limit: int) -> Iterator[Record]:
    for line in tail.lines_backwards(path, limit):
        yield from reversed(reader(line))


def given_ids(text: str) -> list[str]:
    """The ids of the notes in a block that memsift added."""
    return re.findall(_GIVEN_ID, text) if HEADER_START in text else []
