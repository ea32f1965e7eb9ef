"""What memsift does at each moment of a session: one module each, with `run(event, host, runtime) -> Answer`."""

from __future__ import annotations

from collections.abc import Callable

from memsift.event import OFF_THE_RECORD
from memsift.event import REQUEST

SECONDS = {  # the whole moment, process start included; each is below the limit in the hosts' hook files
    "session-start": 4.0,
    "prompt": 16.0,
    "tool": 4.0,
    "answer": 4.0,
    "interrupt": 2.5,
    "session-end": 1.2,
}


def load(name: str) -> Callable:
    """The `run` of a moment. Raises KeyError for an unknown name."""
    if name not in SECONDS and name not in (REQUEST, OFF_THE_RECORD):  # no host calls these two: they come as prompts
        raise KeyError(name)
    # The builtin, since importing importlib alone costs a hook half a millisecond.
    return __import__("memsift.moments." + name.replace("-", "_"), fromlist=("run",)).run
