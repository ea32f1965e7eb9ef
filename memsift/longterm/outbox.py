"""outbox/: packets of entries on their way to the long-term store, one file each, until the store has accepted them.

A packet is small enough for one request, and its name follows from what it holds: putting it in again is no second one.
"""

from __future__ import annotations

import json
import os
import time

from memsift import files
from memsift import redact
from memsift.entry import FIELDS
from memsift.entry import Entry
from memsift.home import Home
from memsift.home import digest

MOST_ENTRIES = 40
MOST_BYTES = 500_000  # of text; the server was seen to take 2 MB at once
VERSION = 1
_SUFFIX = ".json"


class Packet:
    """`entries` to store, and the ids to `forget`: of entries that were replaced, or that the user wants gone.

    `made`: when, in nanoseconds; of two packets with the same entry the later one counts.
    """

    __slots__ = ("id", "made", "entries", "forget")

    def __init__(self, id: str, made: int, entries: list[Entry], forget: list[str]) -> None:
        self.id = id
        self.made = made
        self.entries = entries
        self.forget = forget

    def ids(self) -> set[str]:
        """Every entry that this packet says something about."""
        return {entry.id for entry in self.entries} | set(self.forget)


def put(home: Home, repository: str, entries: list[Entry], forget: list[str] | tuple[str, ...] | set[str] = ()) -> list[str]:
    """Write entries down as packets, secrets redacted, and say which; the last one carries what to forget.

    What earlier packets hold of the entries to forget is taken out of them. Raises OSError.
    """
    clean = [_clean(entry) for entry in entries]
    gone = sorted(set(forget) - {entry.id for entry in clean})
    folder = files.make_folder(home.outbox(repository))
    batches = _batches(clean) or [[]]
    made = max([time.time_ns()] + [packet.made + 1 for packet in waiting(home, repository)])
    ids = []
    for number, batch in enumerate(batches):
        last = number == len(batches) - 1
        packet = _packet(batch, gone if last else [], made + number)
        if packet.entries or packet.forget:
            files.write_text(_path(folder, packet.id), _format(packet))
            ids.append(packet.id)
    for packet in waiting(home, repository) if gone else ():
        _take_out(folder, packet, set(gone))
    return ids


def _clean(entry: Entry) -> Entry:
    return Entry(**dict(redact.redact_value(entry.facts()), id=entry.id, replaces=entry.replaces))


def _batches(entries: list[Entry]) -> list[list[Entry]]:
    """The entries in their order, as many together as one request may carry."""
    batches: list[list[Entry]] = []
    room = 0
    for entry in entries:
        size = len(files.encode(entry.text))
        if not batches or size > room or len(batches[-1]) == MOST_ENTRIES:
            batches.append([])
            room = MOST_BYTES
        batches[-1].append(entry)
        room -= size
    return batches


def _packet(entries: list[Entry], forget: list[str], made: int) -> Packet:
    packet = Packet("", made, entries, forget)
    content = {name: value for name, value in _facts(packet).items() if name not in ("id", "made")}
    packet.id = "p" + digest(json.dumps(content, sort_keys=True))
    return packet


def _facts(packet: Packet) -> dict:
    return {"version": VERSION, "id": packet.id, "made": packet.made, "forget": packet.forget,
            "entries": [entry.facts() for entry in packet.entries]}


def _format(packet: Packet) -> str:
    return json.dumps(_facts(packet), ensure_ascii=False, indent=1) + "\n"


def _path(folder: str, id: str) -> str:
    return os.path.join(folder, id + _SUFFIX)


def _take_out(folder: str, packet: Packet, ids: set[str]) -> None:
    """What is forgotten stands on the disk no longer either."""
    kept = [entry for entry in packet.entries if entry.id not in ids]
    if len(kept) == len(packet.entries):
        return
    if kept or packet.forget:
        packet.entries = kept
        files.write_text(_path(folder, packet.id), _format(packet))
    else:
        files.remove(_path(folder, packet.id))


def waiting(home: Home, repository: str) -> list[Packet]:
    """The packets that wait, oldest first; one that cannot be read or understood is passed over and stays."""
    return sorted((packet for _, packet, _ in _all(home, repository) if packet), key=lambda packet: (packet.made, packet.id))


def broken(home: Home, repository: str) -> dict[str, str]:
    """What is wrong with the packets that `waiting` passes over, by the file's name."""
    return {name: problem for name, _, problem in _all(home, repository) if problem}


def _all(home: Home, repository: str) -> list[tuple[str, Packet | None, str]]:
    folder = home.outbox(repository)
    found = []
    for name in files.names(folder):
        if name.endswith(_SUFFIX):
            packet, problem = _read(os.path.join(folder, name))
            found.append((name, packet, problem))
    return found


def _read(path: str) -> tuple[Packet | None, str]:
    """A packet, or None and what is wrong with it, which is nothing where it has just been sent."""
    try:
        facts = json.loads(files.read_text(path))
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, error.strerror or str(error)
    except (ValueError, RecursionError):
        return None, "not JSON"
    packet = _parse(facts, os.path.basename(path)[:-len(_SUFFIX)])
    return packet, "" if packet else "not a packet"


def _parse(facts: object, id: str) -> Packet | None:
    """A packet as the file says, under the file's own name, so that it can be removed by it."""
    if not isinstance(facts, dict) or not isinstance(facts.get("made"), int):
        return None
    entries, forget = facts.get("entries"), facts.get("forget", [])
    if not isinstance(entries, list) or not isinstance(forget, list) or not all(map(_is_entry, entries)) \
            or not all(isinstance(each, str) for each in forget):
        return None
    return Packet(id, facts["made"], [Entry(**{name: facts[name] for name in FIELDS if name in facts})
                                      for facts in entries], forget)


def _is_entry(facts: object) -> bool:
    if not isinstance(facts, dict):
        return False
    names = facts.get("files", [])
    return all(isinstance(facts.get(name), str) for name in ("id", "date", "text")) \
        and all(isinstance(facts.get(name, ""), str) for name in ("said", "turn", "mark", "replaces")) \
        and isinstance(names, list) and all(isinstance(name, str) for name in names)


def sending_lock(home: Home, repository: str) -> str:
    """The path of the lock that whoever sends packets holds."""
    return os.path.join(home.outbox(repository), "sending.lock")


def remove(home: Home, repository: str, packet: Packet) -> None:
    """Drop a packet that was accepted, unless it was put in again meanwhile."""
    path = _path(home.outbox(repository), packet.id)
    current, _ = _read(path)
    if current and current.made == packet.made:
        files.remove(path)
