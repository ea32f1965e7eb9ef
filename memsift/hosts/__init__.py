"""The hosts that memsift plugs into: two modules each, chosen here by the host's name.

One speaks with the host, and is all that a hook which ends early needs:
    read(moment, payload) -> Event | None      None: not for memsift (a sub-agent, a notification, a command)
    write(moment, answer) -> str               one JSON object, or "" for nothing
    KEEPS_GIVEN_IN_FLIGHT                      whether a compaction keeps what the running prompt was given
The other reads the host's own record of a session:
    records(line) -> list[Record]
    parent(path) -> str                        the session that this one was forked from, or ""
    has_screen(path, environment) -> bool      whether a person sees what a hook says to the user
"""

from __future__ import annotations

import types

NAMES = ("claude-code", "codex")


def load(name: str) -> types.ModuleType:
    """The module that speaks with a host. Raises KeyError for an unknown name."""
    if name == "claude-code":
        from memsift.hosts import claude_code as host
    elif name == "codex":
        from memsift.hosts import codex as host
    else:
        raise KeyError(name)
    return host


def reader(name: str) -> types.ModuleType:
    """The module that reads a host's records of its sessions. Raises KeyError for an unknown name."""
    if name == "claude-code":
        from memsift.hosts import claude_transcript as record
    elif name == "codex":
        from memsift.hosts import codex_rollout as record
    else:
        raise KeyError(name)
    return record
