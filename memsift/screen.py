"""How commands print on a terminal: its width, and a little colour, which never gets into a pipe or a file."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

_BOLD, _PLAIN = "\033[1m", "\033[0m"
_WIDEST = 110


def width() -> int:
    """Columns to fill: the terminal's, within reason."""
    return max(60, min(_WIDEST, shutil.get_terminal_size((100, 24)).columns))


def bold(text: str, stream: TextIO) -> str:
    """The text in bold, where the stream is a terminal that can show it and nobody asked for none (no-color.org)."""
    plain = not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
    return text if plain else _BOLD + text + _PLAIN
