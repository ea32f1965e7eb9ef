"""Codex, driven through its terminal the way a developer does."""

from __future__ import annotations

import re

from tests.live.codex import Codex
from tests.live.terminal import Terminal


class CodexTerminal(Terminal):
    """The interactive program in a tmux of its own, with Codex's own sandbox: it asks before it leaves it."""

    ready = r"· /\S+/acme-shop"
    leave = "/quit"

    def __init__(self, host: Codex, size: tuple[int, int] = (110, 50)) -> None:
        host.prepare_for_terminal()
        super().__init__(host.desk, [host.program], host.environment(), size)

    def type(self, prompt: str) -> None:
        """Type a prompt and send it; for a skill, the first Enter only picks it from the list that pops up."""
        self._tmux("send-keys", "-l", prompt)
        self.wait_for(re.escape(prompt[-30:]))
        if prompt.startswith("$"):
            self.press("Enter")
            self.wait_for(r"^› \$memsift:memsift-")
        self.press("Enter")
