"""A host's interactive program in a tmux of its own, driven the way a developer does."""

from __future__ import annotations

import re
import shutil
import subprocess

from tests.live.workdesk import Workdesk


class Terminal:
    """`ready`: matches a line of the screen once a prompt can be typed. `leave`: what ends the program."""

    ready = ""
    leave = ""

    def __init__(self, desk: Workdesk, command: list[str], environment: dict[str, str], size: tuple[int, int] = (150, 50)) -> None:
        self.desk = desk
        self.environment = environment
        self.tmux = [shutil.which("tmux"), "-S", desk.root + "/tmux", "-f", "/dev/null"]
        width, height = map(str, size)
        self._tmux("new-session", "-d", "-x", width, "-y", height, "-c", desk.project, *command)
        self.start()

    def start(self) -> None:
        """Wait until a prompt can be typed."""
        self.wait_for(self.ready)

    def type(self, prompt: str) -> None:
        """Type a prompt and send it, whether or not the agent is at work."""
        self._tmux("send-keys", "-l", prompt)
        self.wait_for(re.escape(prompt[-30:]))
        self.press("Enter")

    def press(self, key: str) -> None:
        """Press a key by its tmux name, "Escape" for example."""
        self._tmux("send-keys", key)

    def screen(self, earlier: int = 0) -> str:
        """What is on the screen, and so many lines that have left it."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-%d" % earlier)

    def wait_for(self, pattern: str) -> None:
        """Wait until a line of the screen matches."""
        found = self.desk.memory.wait_for(lambda: re.search(pattern, self.screen(), re.MULTILINE), seconds=90)
        if not found:
            errors = "\n".join(self.desk.memory.errors())
            raise AssertionError("%r is not on the screen:\n%s\n%s" % (pattern, self.screen(), errors[-3000:]))

    def close(self) -> None:
        """Leave the program as a developer does."""
        self.type(self.leave)
        self.desk.memory.wait_for(lambda: not self._is_running())
        if self._is_running():
            self._tmux("kill-server")

    def _is_running(self) -> bool:
        return subprocess.run(self.tmux + ["has-session"], capture_output=True, check=False).returncode == 0

    def _tmux(self, *arguments: str) -> str:
        return subprocess.run(self.tmux + list(arguments), env=self.environment, check=True, capture_output=True,
                              text=True, encoding="utf-8", stdin=subprocess.DEVNULL).stdout
