"""datasets.md: what each dataset of the long-term store is for, one line each, which the user may edit.

    - team-docs: how we write and review code in all our projects
    - agent_sessions: off

A dataset is asked only where a line says what for, or where it is the repository's own.
"""

from __future__ import annotations

from collections.abc import Collection

from memsift import files
from memsift import lock
from memsift.home import Home
from memsift.home import safe_name
from memsift.longterm import cognee_index

OWN_PURPOSE = "what this project decided, its constraints, its incidents and their fixes, kept by memsift"
MOST_ASKED = 20  # each is one more question to whoever judges a prompt
WAIT_SECONDS = 5.0
PREFIX = "memsift-"
_MOST_PROPOSED = 50  # at a time
_LONGEST_NAME = 100
_LONGEST_PURPOSE = 300
_OFF = "off"
_BULLETS = ("- ", "* ", "+ ")
_TRANSCRIPTS = "agent_sessions"  # where the Cognee plugin writes what was said, word for word
_HEADING = (
    "# What each dataset of the long-term store is for\n\n"
    "One dataset a line. memsift asks a dataset where the subject of a prompt fits to what stands here: edit it as you "
    "like.\n\"off\" instead of a purpose means that a dataset is never searched; a line that is deleted is proposed "
    "again.\n\n")
_HINT = "proposed by memsift: say better what it holds, or write off"
_TRANSCRIPTS_HINT = "raw transcripts of the Cognee plugin; to have them searched, say what they hold"


def own(repository: str) -> str:
    """The name of the dataset that is reserved for a repository's entries."""
    return PREFIX + safe_name(repository)


def is_reserved(name: str) -> bool:
    """Whether a dataset is one of memsift's own, of whatever repository."""
    return name.startswith(PREFIX)


def purposes(home: Home, repository: str, names: Collection[str] | None = None) -> dict[str, str]:
    """What may be asked for this repository, and what each is for, its own dataset first. `names`: what there is on the
    server, from the index where not given. Raises OSError for a file that cannot be read: what it switches off is not
    known then."""
    if names is None:
        names = cognee_index.load(home, repository).datasets
    said = parse(files.read_text(home.datasets)) if names else {}
    mine = own(repository)
    allowed = {mine: said.get(mine, OWN_PURPOSE)}
    allowed.update((name, purpose) for name, purpose in said.items() if not is_reserved(name))
    found = {name: purpose or _guess(name) for name, purpose in allowed.items() if name in names and not is_off(purpose)}
    return dict(list(found.items())[:MOST_ASKED])


def parse(text: str) -> dict[str, str]:
    """The purposes by name; of two lines with the same name the last one counts."""
    return dict(filter(None, map(_parse_line, text.split("\n"))))


def broken_lines(text: str) -> list[int]:
    """The numbers, from 1, of lines that begin like one of these and are none."""
    return [number for number, line in enumerate(text.split("\n"), 1)
            if line.strip(" \t\r\ufeff").startswith(_BULLETS) and _parse_line(line) is None]


def _parse_line(line: str) -> tuple[str, str] | None:
    line = line.strip(" \t\r\ufeff\0")
    if not line.startswith(_BULLETS) or _is_binary(line):
        return None
    text = line[2:].partition("<!--")[0].strip()
    name, colon, purpose = text.partition(": ")
    if not colon:
        name, colon, purpose = text.rstrip().partition(":")
    name = name.strip(" `*\"'")
    return (name, purpose.strip(" *")[:_LONGEST_PURPOSE]) if name and colon else None


def _is_binary(line: str) -> bool:
    return not line.isascii() and any("\udc80" <= character <= "\udcff" for character in line) or "\0" in line


def is_off(purpose: str) -> bool:
    """Whether a purpose is the word off, perhaps with a remark behind it."""
    word, rest = purpose[:len(_OFF)].lower(), purpose[len(_OFF):].lstrip()
    return word == _OFF and (not rest or not (rest[0].isalnum() or rest[0] in "-_'\""))


def propose(home: Home, names: list[str], transcripts: str = "") -> list[str]:
    """Add a line for each dataset that has none, every byte of the user's kept; which ones were added.

    `transcripts`: the dataset of the Cognee plugin where it is another than usual. Raises OSError, lock.Locked.
    """
    silent = {_TRANSCRIPTS, transcripts}  # a new name does not make the old one's contents better
    if not _unlisted(names, files.read_text(home.datasets), silent):
        return []
    files.make_folder(home.root)
    with lock.opened(home.datasets, WAIT_SECONDS):
        seen = files.look(home.datasets)
        text = files.read_bytes(home.datasets).decode("utf-8", "surrogateescape")  # with its byte-order mark
        new = _unlisted(names, text, silent)
        is_written = new and files.write_text(home.datasets, _with_lines(text, list(new.values())), seen)
    return list(new) if is_written else []  # somebody is editing it: next time


def _unlisted(names: list[str], text: str, silent: set[str]) -> dict[str, str]:
    """The lines to add, by name. A name that would not be read again as it is has none, and is never asked."""
    from memsift import redact  # not at the top: a prompt does not need it
    known, new = parse(text), {}
    for name in sorted(set(names) - set(known)):
        if is_reserved(name) or len(name) > _LONGEST_NAME or redact.redact(name) != name:
            continue
        line = "- %s: off <!-- %s -->" % (name, _TRANSCRIPTS_HINT) if name in silent else \
            "- %s: %s <!-- %s -->" % (name, _guess(name), _HINT)
        if name.isprintable() and (_parse_line(line) or (None,))[0] == name:
            new[name] = line
    return dict(list(new.items())[:_MOST_PROPOSED])


def _guess(name: str) -> str:
    for sign in "-_/.":
        name = name.replace(sign, " ")
    told = [word for word in name.split() if word.lower() not in ("dataset", "main", "default", "test")]
    return "documents about %s" % " ".join(told) if told else "documents of all kinds"


def _with_lines(text: str, lines: list[str]) -> str:
    """The file with lines at its end, in its own way of ending them."""
    text = text or _HEADING
    ending = "\r\n" if "\r\n" in text else "\n"
    if not text.endswith("\n"):
        text += ending
    return text + "".join(line + ending for line in lines)
