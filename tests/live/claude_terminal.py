"""Claude Code, driven through its terminal the way a developer does."""

from __future__ import annotations

from tests.live.claude import Claude
from tests.live.terminal import Terminal


class ClaudeTerminal(Terminal):
    """The interactive program in a tmux of its own."""

    ready = r"^❯"
    leave = "/exit"

    def __init__(self, host: Claude, size: tuple[int, int] = (150, 50)) -> None:
        super().__init__(host.desk, host.interactive_command(), host.environment(), size)
