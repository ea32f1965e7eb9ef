"""What memsift has on disk, as a user would find it."""

from __future__ import annotations

import glob
import json
import os
import re
import time
from typing import Callable


class Memory:
    """The folder ~/.memsift of a test's user."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def notes(self) -> list[str]:
        """The lines of the working notes of all repositories."""
        return [line for line in self._lines("repos/*/d*.md") if line.startswith("- ")]

    def about(self, word: str) -> list[str]:
        """The working notes that hold a word."""
        return [note for note in self.notes() if word in note]

    def pending(self) -> list[str]:
        """The turns that are not sorted yet."""
        return self._lines("repos/*/pending.jsonl")

    def decisions(self, name: str) -> list[dict]:
        """The decisions of one kind in the log, oldest first: "core-prompt" or "core-turn"."""
        found = (re.search(r" DECISION %s (\{.*\})$" % name, line) for line in self._lines("debug.log"))
        return [json.loads(match.group(1)) for match in found if match]

    def errors(self) -> list[str]:
        """The errors in the log, each with the lines that are indented below it."""
        log = "\n".join(self._lines("debug.log"))
        return re.findall(r"^.* ERROR .*(?:\n[ \t].*)*", log, re.MULTILINE)

    def wait_for(self, what: Callable[[], object], seconds: float = 30) -> object:
        """Wait until `what()` is true, as long as that is worth; gives its last value."""
        deadline = time.monotonic() + seconds
        value = what()
        while not value and time.monotonic() < deadline:
            time.sleep(0.1)
            value = what()
        return value

    def holding(self, text: str) -> list[str]:
        """The files that hold a text, or bear it in their name."""
        found = []
        for folder, _, names in os.walk(self.folder):
            for path in (os.path.join(folder, name) for name in names):
                with open(path, "rb") as file:
                    if text.encode("utf-8") in file.read() or text in path:
                        found.append(path)
        return found

    def _lines(self, pattern: str) -> list[str]:
        lines = []
        for path in sorted(glob.glob(os.path.join(glob.escape(self.folder), pattern))):
            with open(path, encoding="utf-8") as file:
                lines.extend(file.read().splitlines())
        return lines
