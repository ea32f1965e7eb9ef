"""Claude Code, driven without a terminal."""

from __future__ import annotations

import glob
import json
import os
import re
import uuid

from tests.live import messages_server
from tests.live import programs
from tests.live import readme
from tests.live.line_process import LineProcess
from tests.live.workdesk import Workdesk

_KEY = "invented-key-" + "0" * 30
_INTRODUCTION = "UserPromptSubmit hook additional context: "
_STREAM = ["--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]


class Claude:
    """The program with the plugin's marketplace at hand and a scripted model."""

    name = "Claude Code"

    def __init__(self, desk: Workdesk) -> None:
        self.desk = desk
        self.program = programs.find("claude")
        self.plugin = ""
        self.model = messages_server.MessagesServer()
        self._answer_first_questions()

    def install(self) -> None:
        """Install memsift the way its README says."""
        for arguments in readme.commands("claude"):
            self._run(*arguments)
        versions = os.path.join(glob.escape(self.desk.home), ".claude/plugins/cache/memsift/memsift/*")
        self.plugin = glob.glob(versions)[0]

    def validate(self, folder: str) -> str:
        """Let Claude Code judge a plugin folder strictly; gives its report, raises when it refuses."""
        return self._run("plugin", "validate", "--strict", folder)

    def say(self, prompt: str, *replies: object, session: str = "", fork: bool = False) -> str:
        """One `claude -p`, in a new session, in a session or in a fork of it; gives the session's id."""
        self.model.script(*replies)
        lines = self._run("-p", prompt, *_STREAM, *_session(session, fork)).splitlines()
        return [json.loads(line)["session_id"] for line in lines if '"type":"result"' in line][-1]

    def open(self) -> ClaudeConversation:
        """A new session in one process that takes prompt after prompt."""
        command = [self.program, "-p", "--input-format", "stream-json", "--include-hook-events", *_STREAM]
        return ClaudeConversation(self, self.desk.start(command, self.environment()))

    def environment(self) -> dict[str, str]:
        """The variables that the program is started with."""
        return self.desk.environment(
            ANTHROPIC_BASE_URL=self.model.address, ANTHROPIC_API_KEY=_KEY, IS_SANDBOX="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1", DISABLE_ERROR_REPORTING="1")

    def interactive_command(self) -> list[str]:
        """The command for a terminal."""
        return [self.program, "--permission-mode", "bypassPermissions"]

    def added(self) -> list[str]:
        """What memsift added to the conversation, as the last main request holds it, oldest first."""
        found = []
        for _, text in messages_server.texts(self.model.bodies()[-1]):
            for part in text.split(_INTRODUCTION)[1:]:
                found.extend(re.findall(r"\Amemsift: .*(?:\n.+)*", part))
        return found

    def close(self) -> None:
        self.model.stop()

    def _run(self, *arguments: str) -> str:
        return self.desk.run([self.program, *arguments], self.environment()).stdout

    def _answer_first_questions(self) -> None:
        answers = {"hasCompletedOnboarding": True, "theme": "dark",
                   "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
                   "projects": {self.desk.project: {"hasTrustDialogAccepted": True}}}
        self._write_settings(".claude.json", answers)
        self._write_settings(".claude/settings.json", {"skipDangerousModePermissionPrompt": True})

    def _write_settings(self, name: str, settings: dict) -> None:
        path = os.path.join(self.desk.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(settings, file)


def _session(session: str, fork: bool) -> list[str]:
    resume = ["--resume", session] if session else []
    return resume + ["--fork-session"] if fork else resume


class ClaudeConversation:
    """A running session; prompts are sent while the agent works, or one after the other."""

    def __init__(self, host: Claude, process: LineProcess) -> None:
        self.host = host
        self.process = process
        self.answered = 0

    def ask(self, prompt: str, *replies: object) -> None:
        """Send a prompt and wait for its answer."""
        self.host.model.script(*replies)
        self.send(prompt)
        self.wait()

    def send(self, prompt: str) -> None:
        """Send a prompt, whether or not the agent is at work."""
        self.process.send({"type": "user", "message": {"role": "user", "content": prompt}})

    def wait(self, answers: int = 1) -> None:
        """Wait for the end of that many more turns."""
        self.answered += answers
        self.process.wait_for(lambda line: line.get("type") == "result", self.answered)

    def interrupt(self) -> None:
        """What Esc does; waits for the turn to end."""
        self.process.send({"type": "control_request", "request_id": uuid.uuid4().hex,
                           "request": {"subtype": "interrupt"}})
        self.wait()

    def compact(self) -> None:
        """What /compact does."""
        self.ask("/compact")

    def hooks(self, event: str) -> int:
        """How many hooks have run at an event of the host, "Stop" for example."""
        return sum(line.get("subtype") == "hook_response" and line.get("hook_event") == event
                   for line in self.process.lines)

    def close(self) -> None:
        self.process.close()
