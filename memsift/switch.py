"""Memory on or off for one repository: an empty file off/REPO in MEMSIFT_HOME while it is off.

Where nothing is switched off there is no folder `off`, and looking costs a hook next to nothing.
"""

from __future__ import annotations

import os

from memsift import files
from memsift.event import Event
from memsift.home import Home
from memsift.home import safe_name


def is_off(home: Home, repository: str) -> bool:
    """Whether memory is off for a repository."""
    return os.path.exists(_path(home, repository))


def is_off_for(event: Event, home: Home) -> bool:
    """Whether memory is off where the session of this event is at home."""
    from memsift import session
    try:
        state = session.load(home, event.session)
    except (OSError, ValueError):
        state = None
    repository = (state or session.begin(event)).repository
    return bool(repository) and is_off(home, repository)


def turn_off(home: Home, repository: str) -> None:
    """Have every hook of the repository's sessions end at once from now on; what is remembered stays."""
    files.make_folder(home.off)
    os.close(files.open_plain(_path(home, repository), os.O_RDWR | os.O_CREAT))


def turn_on(home: Home, repository: str) -> None:
    """Have the hooks work again."""
    if not is_off(home, repository):
        return
    files.write_text(_mark(home, repository), "")
    files.remove(_path(home, repository))
    files.remove_if_empty(home.off)


def switched_on(home: Home, repository: str) -> float:
    """When memory was last switched on again, in seconds of the clock; 0 where it never was off. What a host's own
    record holds of the time before is not looked up later."""
    return files.written(_mark(home, repository)) or 0.0


def _mark(home: Home, repository: str) -> str:
    return os.path.join(home.repository(repository), "switched-on")


def _path(home: Home, repository: str) -> str:
    return os.path.join(home.off, safe_name(repository))
