"""While the agent works: note what changed the repository, never what a tool printed."""

from __future__ import annotations

import os
import types

from memsift import hosts
from memsift import session
from memsift.event import Answer
from memsift.event import Change
from memsift.event import Event
from memsift.excerpt import excerpt
from memsift.excerpt import one_line
from memsift.runtime import Runtime

LONGEST_COMMAND = 300
_EXIT_CODE_BYTES = 1_000_000


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """Nothing is printed and nobody waits."""
    change = _with_outcome(event) if event.change.what == "ran" else event.change
    if change is None or not _may_matter(event, change, runtime):
        return Answer()
    with session.editing(runtime.home, event) as state:
        for what, text in _changes(change, state):
            state.add_change(event.turn, what, text)
    return Answer()


def _with_outcome(event: Event) -> Change | None:
    """The change with what came of it, which this host writes only to its own record of the session."""
    from memsift import tail
    exit_code = hosts.reader(event.host).exit_code
    try:
        for line in tail.lines_backwards(event.transcript, _EXIT_CODE_BYTES):
            code = exit_code(line, event.tool_id)
            if code is not None:
                return Change("passed" if code == 0 else "failed", event.change.text)
    except OSError:
        return None
    return None


def _may_matter(event: Event, change: Change, runtime: Runtime) -> bool:
    """Most commands pass and are no commit: they cost one look at the session and no write."""
    if change.what != "passed" or _is_commit(change.text):
        return True
    try:
        state = session.load(runtime.home, event.session)
    except (OSError, ValueError):
        return False
    failed = state.failed() if state else set()
    return bool(failed) and _command(change.text) in failed


def _changes(change: Change, state: session.Session) -> list[tuple[str, str]]:
    if change.what == "edit":
        inside = [_inside(path, state.root) for path in change.text.split("\n")]
        return [("edit", path) for path in inside if path]
    if change.what == "failed":
        return [("failed", _command(change.text))]
    found = []
    if _is_commit(change.text):
        from memsift import commit
        found.append(("commit", _command(commit.subject(change.text))))
    if _command(change.text) in state.failed():
        found.append(("fixed", _command(change.text)))
    return found


def _inside(path: str, root: str) -> str:
    """The path relative to the repository, or "" outside of it (the host's own memory files, say)."""
    path = path.strip()
    if not path or not root:
        return ""
    relative = os.path.relpath(os.path.realpath(os.path.join(root, path)), root)
    return "" if relative.startswith("..") or os.path.isabs(relative) else _command(relative)


def _command(text: str) -> str:
    return excerpt(one_line(text), LONGEST_COMMAND)


def _is_commit(command: str) -> bool:
    if "commit" not in command:
        return False
    from memsift import commit  # its patterns are for the few commands that need them
    return commit.is_commit(command)
