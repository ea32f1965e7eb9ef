"""The hosts that memsift plugs into: one module each, loaded by name.

A host module offers
    read(moment, payload) -> Event | None      None: not for memsift (a sub-agent, a notification, a command)
    write(moment, answer) -> str               one JSON object, or "" for nothing
    records(line) -> list[Record]              one line of the host's own file of a session
    KEEPS_GIVEN_IN_FLIGHT                      whether a compaction keeps what the running prompt was given
"""

from __future__ import annotations

import importlib
import types

NAMES = ("claude-code", "codex")


def load(name: str) -> types.ModuleType:
    """The module of a host. Raises KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    return importlib.import_module("memsift.hosts." + name.replace("-", "_"))
