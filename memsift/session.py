"""What memsift knows of one running session: sessions/<session>.json, changed by one process at a time.

The repository is fixed by the first event of the session and a later change of folder does not move it.
Fields that this version does not know are kept as they are. Every text is redacted before it comes here: a long session
has hundreds, and each hook writes the file.
"""

from __future__ import annotations

import json
import os
import time

from memsift import files
from memsift import lock
from memsift.event import Event
from memsift.home import Home
from memsift.home import safe_name

VERSION = 1
WAIT_SECONDS = 1.0
_MOST_CHANGES = 200
_MOST_CLOSED = 100


class Session:
    """The state of a session; the lists inside are changed through the methods."""

    def __init__(self, facts: dict) -> None:
        self.facts = facts
        for name in ("open", "changes", "added", "closed", "visible"):
            if not isinstance(facts.get(name), list):
                facts[name] = []

    @property
    def repository(self) -> str:
        """The name of the repository's folder, or "" for a session that belongs to no project."""
        return str(self.facts.get("repository") or "")

    @property
    def root(self) -> str:
        return str(self.facts.get("root") or "")

    @property
    def open(self) -> list[dict]:
        """Prompts whose turn has not ended: {"turn", "text"}."""
        return self.facts["open"]

    def saw(self, event: Event) -> None:
        """Note that the session lives, and where its transcript is now."""
        now = int(time.time())
        self.facts["seen"] = now
        ran = self.facts.get("ran")
        self.facts["ran"] = dict(ran if isinstance(ran, dict) else {}, **{event.moment: now})
        known = self.facts.get("transcript", "")
        if event.transcript != known:
            self.facts["transcript"] = _readable_later(event.transcript) or known

    def open_prompt(self, turn: str, text: str) -> None:
        """Remember a prompt until its turn ends; the same one handed in twice (after Esc) counts once."""
        prompt = {"turn": turn, "text": text}
        if prompt not in self.open:
            self.open.append(prompt)

    def keep_out(self, turn: str) -> None:
        """Keep nothing of a turn. A prompt that waits for the running turn may end under an id that nobody has seen."""
        self.facts["kept_out_next"] = turn in self.open_turns()
        self.facts["kept_out"] = (self._kept_out() + [turn])[-_MOST_CLOSED:]

    def is_kept_out(self, turn: str) -> bool:
        return turn in self._kept_out()

    def end_kept_out(self, turn: str) -> bool:
        """Whether the turn that ends now is one of those of which nothing is kept."""
        if self.facts.get("kept_out_next") and not self.is_kept_out(turn) and turn not in self.open_turns():
            self.facts["kept_out_next"] = False
            return True
        return self.is_kept_out(turn)

    def _kept_out(self) -> list[str]:
        turns = self.facts.get("kept_out")
        return turns if isinstance(turns, list) else []

    def take_prompts(self, turn: str) -> list[str]:
        """The open prompts of a turn, which are no longer open."""
        taken = [prompt["text"] for prompt in self.open if prompt.get("turn") == turn]
        self.facts["open"] = [prompt for prompt in self.open if prompt.get("turn") != turn]
        return taken

    def open_turns(self) -> list[str]:
        """The turns of open prompts, oldest first."""
        return list(dict.fromkeys(str(prompt.get("turn", "")) for prompt in self.open))

    def close(self, turn: str) -> bool:
        """Mark a turn as over. False if it already was: the host went on after its first answer."""
        if turn in self.facts["closed"]:
            return False
        self.facts["closed"] = (self.facts["closed"] + [turn])[-_MOST_CLOSED:]
        self.facts["visible"] = (self.facts["visible"] + [self.source(turn)])[-_MOST_CLOSED:]
        return True

    def closed(self) -> set[str]:
        """The turns that ended, as far as memsift knows."""
        return set(self.facts["closed"])

    def add_change(self, turn: str, what: str, text: str) -> None:
        """Remember what changed in a turn: {"turn", "what", "text"}, each once."""
        change = {"turn": turn, "what": what, "text": text}
        if self.is_kept_out(turn):
            return
        if change not in self.facts["changes"]:
            self.facts["changes"] = (self.facts["changes"] + [change])[-_MOST_CHANGES:]

    def take_changes(self, turn: str) -> list[dict]:
        """What changed in a turn (or in one the host gave no id for), which is then forgotten."""
        taken = [change for change in self.facts["changes"] if change.get("turn") in (turn, "")]
        self.facts["changes"] = [change for change in self.facts["changes"] if change not in taken]
        return taken

    def failed(self) -> set[str]:
        """The commands that failed in turns which have not ended."""
        return {str(change.get("text")) for change in self.facts["changes"] if change.get("what") == "failed"}

    def mark_added(self, turn: str, ids: list[str]) -> None:
        """Remember which notes this session was given."""
        self.facts["added"] += [{"turn": turn, "id": id} for id in ids]

    def added(self) -> set[str]:
        return {str(mark.get("id")) for mark in self.facts["added"]}

    def is_news(self, service: str, outage: int) -> bool:
        """Whether this session was not told of an outage yet."""
        told = self.facts.get("told")
        return not isinstance(told, dict) or told.get(service) != outage

    def mark_told(self, service: str, outage: int) -> None:
        told = self.facts.get("told")
        self.facts["told"] = dict(told if isinstance(told, dict) else {}, **{service: outage})

    def seen_turns(self) -> set[str]:
        """The turns that the agent went through and still sees, as a note names its source."""
        return set(self.facts["visible"]) | {self.source(turn) for turn in self.open_turns()}

    def source(self, turn: str) -> str:
        """How a note names this turn: "<session>/<turn>"."""
        return "%s/%s" % (self.facts.get("session", ""), turn)

    def inherit(self, parent: Session) -> None:
        """What a forked session starts with: its agent sees all that its parent's did."""
        self.facts["added"] = parent.facts["added"] + self.facts["added"]
        self.facts["visible"] = sorted(parent.seen_turns()) + self.facts["visible"]

    def compacted(self, in_flight: str) -> None:
        """After a compaction the agent no longer sees its turns nor what it was given, but for the running turn."""
        self.facts["added"] = [mark for mark in self.facts["added"] if mark.get("turn") == in_flight]
        self.facts["visible"] = [source for source in self.facts["visible"] if source == self.source(in_flight)]


def _readable_later(path: str) -> str:
    """A path as it may be written down: one that holds a secret may not, and is then not read later."""
    from memsift import redact  # not at the top: most hooks end without it
    return path if redact.redact(path) == path else ""


def load(home: Home, session: str) -> Session | None:
    """The session as it stands on disk, or None where there is none. Raises OSError; ValueError for a broken one."""
    return parse(files.read_text(home.session(session)))


def parse(text: str) -> Session | None:
    """The session that a file holds, or None for an empty file. Raises ValueError for a broken one."""
    if not text.strip("\0 \r\n\ufeff"):
        return None
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise ValueError("not an object")
    return Session(facts)


class editing:
    """The session of an event for a block, made if new, written back when the block ends without an error.

    Raises lock.Locked. A broken file is set aside under another name, since its owner may want to look at it.
    """

    def __init__(self, home: Home, event: Event, seconds: float | None = None) -> None:
        self._event = event
        self._path = home.session(event.session)
        self._lock = lock.held(self._path[:-len(".json")] + ".lock", WAIT_SECONDS if seconds is None else seconds)

    def __enter__(self) -> Session:
        self._lock.__enter__()
        is_open = False
        try:
            self._session = self._read() or begin(self._event)
            self._session.saw(self._event)
            is_open = True
        finally:
            if not is_open:
                self._lock.__exit__()
        return self._session

    def _read(self) -> Session | None:
        try:
            return parse(files.read_text(self._path))
        except ValueError:
            os.replace(self._path, self._path + ".broken")
            return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is None:
                files.write_text(self._path, json.dumps(self._session.facts, ensure_ascii=False) + "\n")
        finally:
            self._lock.__exit__()


def begin(event: Event) -> Session:
    """A session that nothing is known of yet: this is where its repository is fixed."""
    from memsift import project  # once in a session
    found = project.identify(event.cwd, os.environ.get("HOME", ""))
    return Session({
        "version": VERSION,
        "session": safe_name(event.session),
        "host": event.host,
        "repository": found.name if found else "",
        "root": _readable_later(found.root) if found else "",
        "started": int(time.time()),
    })
