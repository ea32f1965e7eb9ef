"""Where a command was called: the home and the project of the developer's shell."""

from __future__ import annotations

import os

from memsift import home as homes
from memsift import project as projects
from memsift.commands import Failure
from memsift.home import Home
from memsift.project import Project


def home() -> Home:
    """Raises home.NoHome."""
    return Home(homes.locate())


def project() -> Project:
    """The project of the folder that the shell is in. Raises commands.Failure for a folder that belongs to none."""
    found = projects.identify(os.getcwd(), os.environ.get("HOME", ""))
    if found is None:
        raise Failure("%s belongs to no project: go into one" % os.getcwd())
    return found
