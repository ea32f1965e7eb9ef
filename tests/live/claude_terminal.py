"""Claude Code, driven through its terminal the way a developer does."""

from __future__ import annotations

import re
import shutil
import subprocess

from tests.live.claude import Claude


class ClaudeTerminal:
    """The interactive program in a tmux of its own."""

    def __init__(self, host: Claude) -> None:
        self.host = host
        self.tmux = [shutil.which("tmux"), "-S", host.desk.root + "/tmux", "-f", "/dev/null"]
        command = host.interactive_command()
        self._tmux("new-session", "-d", "-x", "150", "-y", "50", "-c", host.desk.project, *command)
        self.wait_for(r"^❯")

    def type(self, prompt: str) -> None:
        """Type a prompt and send it, whether or not the agent is at work."""
        self._tmux("send-keys", "-l", prompt)
        self.wait_for(re.escape(prompt[-30:]))
        self._tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        """Press a key by its tmux name, "Escape" for example."""
        self._tmux("send-keys", key)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-J")

    def wait_for(self, pattern: str) -> None:
        """Wait until a line of the screen matches."""
        found = self.host.desk.memory.wait_for(lambda: re.search(pattern, self.screen(), re.MULTILINE))
        if not found:
            raise AssertionError("%r is not on the screen:\n%s" % (pattern, self.screen()))

    def close(self) -> None:
        """Leave the program as a developer does, by /exit."""
        self.type("/exit")
        self.host.desk.memory.wait_for(lambda: not self._is_running())
        if self._is_running():
            self._tmux("kill-server")

    def _is_running(self) -> bool:
        return subprocess.run(self.tmux + ["has-session"], capture_output=True, check=False).returncode == 0

    def _tmux(self, *arguments: str) -> str:
        environment = self.host.environment()
        return subprocess.run(self.tmux + list(arguments), env=environment, check=True, capture_output=True,
                              text=True, encoding="utf-8", stdin=subprocess.DEVNULL).stdout
