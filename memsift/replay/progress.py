"""One line on a terminal that says how far long work has come."""

from __future__ import annotations

import os
import time
import types
from typing import TextIO

_EVERY_SECONDS = 0.1


class Progress:
    """Used as a context manager: the line is wiped at the end. Writes nothing where `stream` is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._next = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        self._write("")

    def tell(self, path: str, done: int, total: int) -> None:
        """So many prompts of a file are played."""
        self.say("playing %s: %d of %d prompts" % (os.path.basename(path)[-40:], done, total))

    def say(self, text: str) -> None:
        """Show a text in the place of the last one, unless that was just now."""
        if time.monotonic() >= self._next:
            self._write(text)
            self._next = time.monotonic() + _EVERY_SECONDS

    def _write(self, text: str) -> None:
        if self._stream:
            self._stream.write("\r%-78s\r%s" % ("", text))
            self._stream.flush()
