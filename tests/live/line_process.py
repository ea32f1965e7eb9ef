"""A program that speaks JSON, one object a line, on its standard input and output."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from typing import Callable


class LineProcess:
    """Keeps every object that the program prints in `lines`."""

    def __init__(self, command: list[str], folder: str, environment: dict[str, str]) -> None:
        self.lines = []
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def wait_for(self, wanted: Callable[[dict], bool], count: int = 1) -> dict:
        """Wait for the count-th object that is wanted, the first ones of all included."""
        found = []

        def enough() -> bool:
            found[:] = [line for line in list(self.lines) if wanted(line)]
            return len(found) >= count

        self.wait_until(enough)
        return found[count - 1]

    def wait_until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for a condition; raises AssertionError, with the last lines, when it never comes."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline or not self.reader.is_alive():
                raise AssertionError("waited in vain; last lines: %s" % json.dumps(self.lines[-5:])[-4000:])
            time.sleep(0.05)

    def close(self) -> None:
        """End the program's input and wait for it to finish by itself; one that does not is ended."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("still running after the end of its input: %r" % self.process.args) from None
        finally:
            self.reader.join(30)
            self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                # Not part of the conversation, a warning for example.
                continue
