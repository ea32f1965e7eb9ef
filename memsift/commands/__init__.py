"""The commands of `python3 -m memsift`: one module here each, named after its command, and nothing else to change.

A command offers NAME, HELP (one line), add_arguments(parser), and run(arguments) -> exit code: 0; or 1 where something
is wrong. What it raises of Failure, home.NoHome, lock.Locked and OSError is told in one plain sentence. A name that
Python keeps for itself has an underscore at its end ("import_.py").
"""

from __future__ import annotations

import importlib
import os
import types


class Failure(Exception):
    """A command cannot do what was asked; the message says why, in one plain sentence."""


def names() -> list[str]:
    """The names of all commands, in the order of the alphabet."""
    files = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    modules = sorted(name[:-len(".py")] for name in files if name.endswith(".py") and not name.startswith("_"))
    return [module.rstrip("_").replace("_", "-") for module in modules]


def load(name: str) -> types.ModuleType:
    """The module of a command. Raises KeyError for an unknown name."""
    if name not in names():
        raise KeyError(name)
    folder = os.path.dirname(os.path.abspath(__file__))
    module = name.replace("-", "_")
    module += "" if os.path.exists(os.path.join(folder, module + ".py")) else "_"
    return importlib.import_module("memsift.commands." + module)
