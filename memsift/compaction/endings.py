"""When the notes of a session that is over are compacted: after a grace time in which it may go on.

`claude -p` and `codex exec` end a session after every prompt. So a session that starts around the end of another one is
taken for its continuation, and only the end of the last one counts. A session that never says goodbye is over when
nothing was seen of it for as long as leftovers.QUIET_SECONDS.
"""

from __future__ import annotations

import os
import time

from memsift import files
from memsift import leftovers
from memsift import notes
from memsift import session
from memsift.compaction import compaction
from memsift.home import safe_name
from memsift.runtime import Runtime
from memsift.session import Session

_SIGNS_OF_LIFE = ("session-start", "prompt", "tool", "answer", "interrupt")


def due_in(repository: str, runtime: Runtime) -> float | None:
    """Seconds until the draft has notes of a session that is over for good, 0 or less where it has some now; None where
    no session of such notes has ended. Raises OSError."""
    draft = notes.parse(files.read_text(runtime.home.draft(repository)))
    names = {safe_name(note.turn.partition("/")[0]) for note in draft if note.turn and compaction.is_movable(note)}
    if not names:
        return None
    now, grace = time.time(), float(runtime.settings["MEMSIFT_GRACE_SECONDS"])
    own = _spans(names, repository, runtime, now)
    ended = [own[name].ended if name in own else 0.0 for name in names]
    if all(end is None for end in ended):
        return None
    since = min(end for end in ended if end is not None) - grace
    spans = dict(_spans(_changed_since(since, runtime), repository, runtime, now), **own)
    ends = [_last_end(name, spans, grace) for name in names]
    waits = [end + grace - now for end in ends if end is not None]
    return min(waits) if waits else None


class _Span:
    """A session: when it was last started, and when it ended; None while it runs."""

    __slots__ = ("began", "ended")

    def __init__(self, began: float, ended: float | None) -> None:
        self.began = began
        self.ended = ended


def _changed_since(moment: float, runtime: Runtime) -> set[str]:
    """The names of the sessions that were seen since: a machine may have thousands of older ones."""
    folder = runtime.home.sessions
    return {name[:-len(".json")] for name in files.names(folder)
            if name.endswith(".json") and (files.written(os.path.join(folder, name)) or 0.0) >= moment}


def _spans(names: set[str], repository: str, runtime: Runtime, now: float) -> dict[str, _Span]:
    """Those of these sessions that belong to a repository, by name."""
    paths = {name: runtime.home.session(name) for name in names}
    states = {name: _load(path) for name, path in paths.items()}
    return {name: _span(paths[name], state, now) for name, state in states.items()
            if state and state.repository == repository}


def _load(path: str) -> Session | None:
    try:
        return session.parse(files.read_text(path))
    except (OSError, ValueError):
        return None  # leftovers tells of it


def _span(path: str, state: Session, now: float) -> _Span:
    ran = state.facts.get("ran")
    ran = ran if isinstance(ran, dict) else {}
    signs = [sign for sign in (ran.get(moment) for moment in _SIGNS_OF_LIFE) if isinstance(sign, (int, float))]
    ended = state.facts.get("ended")
    if not isinstance(ended, (int, float)) or max(signs, default=0) > ended:
        last = leftovers.last_sign(path, state.facts)
        ended = last if now - last > leftovers.QUIET_SECONDS else None
    began = ran.get("session-start", state.facts.get("started"))
    return _Span(float(began) if isinstance(began, (int, float)) else 0.0, ended)


def _last_end(name: str, spans: dict[str, _Span], grace: float) -> float | None:
    """When a session ended with all that continued it; None where one of them still runs."""
    if name not in spans:
        return 0.0  # so long ago that its state is gone
    seen = {name}
    end = spans[name].ended
    while end is not None:
        more = {other: span for other, span in spans.items()
                if other not in seen and abs(span.began - end) <= grace}
        if not more:
            return end
        seen.update(more)
        ends = [span.ended for span in more.values()]
        end = None if None in ends else max(ends + [end])
    return None
