"""Codex, driven without a terminal."""

from __future__ import annotations

import glob
import json
import os

from tests.live import programs
from tests.live import readme
from tests.live import responses_server
from tests.live.line_process import LineProcess
from tests.live.workdesk import Workdesk

_SETTINGS = """model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
{more}
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""
_ANSWERED = """
[projects.%s]
trust_level = "trusted"
[tui]
screen_reader_detection_done = true
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
"""


class Codex:
    """The program with the plugin's marketplace at hand and a scripted model."""

    name = "Codex"

    def __init__(self, desk: Workdesk, more_settings: str = "") -> None:
        self.desk = desk
        self.program = programs.find("codex")
        self.home = os.path.join(desk.home, ".codex")
        self.settings = os.path.join(self.home, "config.toml")
        self.plugin = ""
        self.model = responses_server.ResponsesServer()
        os.makedirs(self.home)
        self._add_settings(_SETTINGS.format(address=self.model.address, more=more_settings))

    def install(self) -> None:
        """Install memsift the way its README says and trust its hooks."""
        for arguments in readme.commands("codex"):
            self._run(*arguments)
        self._trust()
        self.plugin = glob.glob(os.path.join(glob.escape(self.home), "plugins/cache/memsift/memsift/*"))[0]

    def hooks(self) -> dict:
        """What Codex itself says of the hooks: {"hooks": [...], "warnings": [...], "errors": [...]}."""
        server = CodexServer(self)
        listed = server.call("hooks/list", {"cwds": [self.desk.project]})["data"][0]
        server.close()
        return listed

    def say(self, prompt: str, *replies: object, session: str = "", fork: bool = False) -> str:
        """One `codex exec`, in a new session, in a session or in a fork of it; gives the session's id."""
        self.model.script(*replies)
        earlier = ["fork" if fork else "resume", session] if session else []
        lines = self._run("exec", *earlier, "--json", "--", prompt).splitlines()
        return [json.loads(line)["thread_id"] for line in lines if '"thread.started"' in line][-1]

    def open(self) -> CodexConversation:
        """A new session in one process that takes prompt after prompt."""
        server = CodexServer(self)
        started = server.call("thread/start", {"cwd": self.desk.project})
        return CodexConversation(self, server, started["thread"]["id"])

    def added(self) -> list[str]:
        """What memsift added to the conversation, as the last main request holds it, oldest first."""
        return [text for role, text in responses_server.texts(self.model.bodies()[-1])
                if role == "developer" and text.startswith("memsift: ")]

    def start(self) -> LineProcess:
        """Start the program that serves conversations."""
        return self.desk.start([self.program, "app-server"], self.environment())

    def prepare_for_terminal(self) -> None:
        """Answer what the terminal program would ask first, and take back what lets the agent do everything: commands
        then have neither the network nor the home folder, as by default."""
        with open(self.settings, encoding="utf-8") as file:
            settings = file.read()
        for line in ('approval_policy = "never"\n', 'sandbox_mode = "danger-full-access"\n'):
            settings = settings.replace(line, "")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(settings)
        self._add_settings(_ANSWERED % json.dumps(self.desk.project))

    def close(self) -> None:
        self.model.stop()

    def _run(self, *arguments: str) -> str:
        return self.desk.run([self.program, *arguments], self.environment()).stdout

    def environment(self) -> dict[str, str]:
        """The variables that the program is started with."""
        return self.desk.environment(SCRIPTED_KEY="invented-key")

    def _add_settings(self, text: str) -> None:
        with open(self.settings, "a", encoding="utf-8") as file:
            file.write(text)

    def _trust(self) -> None:
        """Record what the terminal program records when the user trusts every hook."""
        for hook in self.hooks()["hooks"]:
            own, _, content = hook["currentHash"].partition("/")
            self._add_settings("\n[hooks.state.%s]\ntrusted_hash = %s\ntrusted_content_hash = %s\n" % tuple(
                map(json.dumps, (hook["key"], own, content))))


class CodexServer:
    """A client of `codex app-server`."""

    def __init__(self, host: Codex) -> None:
        self.process = host.start()
        self.calls = 0
        self.call("initialize", {"clientInfo": {"name": "live-test", "version": "1"},
                                 "capabilities": {"experimentalApi": True}})
        self.process.send({"method": "initialized"})

    def call(self, method: str, parameters: dict) -> dict:
        """Call a method and wait for its result; raises AssertionError for an error."""
        self.calls += 1
        number = self.calls
        self.process.send({"id": number, "method": method, "params": parameters})
        answer = self.process.wait_for(lambda line: line.get("id") == number and "method" not in line)
        if "error" in answer:
            raise AssertionError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def close(self) -> None:
        self.process.close()


class CodexConversation:
    """A running session; prompts are sent while the agent works, or one after the other."""

    def __init__(self, host: Codex, server: CodexServer, session: str) -> None:
        self.host = host
        self.server = server
        self.session = session
        self.turn = ""
        self.answered = 0

    def ask(self, prompt: str, *replies: object) -> None:
        """Send a prompt and wait for its answer."""
        self.host.model.script(*replies)
        self.send(prompt)
        self.wait()

    def send(self, prompt: str) -> None:
        """Start a turn; while the agent is at work, the prompt joins the running turn."""
        self.turn = self._call("turn/start", input=[{"type": "text", "text": prompt}])["turn"]["id"]

    def wait(self, answers: int = 1) -> None:
        """Wait for the end of that many more turns."""
        self.answered += answers
        self.server.process.wait_for(lambda line: line.get("method") == "turn/completed", self.answered)

    def interrupt(self) -> None:
        """What Esc does; waits for the turn to end."""
        self._call("turn/interrupt", turnId=self.turn)
        self.wait()

    def compact(self) -> None:
        """What /compact does."""
        self._call("thread/compact/start")
        self.wait()

    def close(self) -> None:
        self.server.close()

    def _call(self, method: str, **parameters: object) -> dict:
        return self.server.call(method, dict(parameters, threadId=self.session))
