"""The commands of `python3 -m memsift`: one module each, and one line in ALL.

A command offers NAME, HELP (one line), add_arguments(parser), and run(arguments) -> exit code: 0, or 1 after one plain
sentence on standard error.
"""

from __future__ import annotations

from memsift.commands import replay
from memsift.commands import resume

ALL = (replay, resume)
