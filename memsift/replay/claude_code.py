"""Claude Code's part in a replay: the payloads that it would hand to the hooks, and its transcript as it grows."""

from __future__ import annotations

import json
import os

from memsift.replay.recording import EDIT
from memsift.replay.recording import Step


class ClaudeCode:
    """One session. A method that speaks of a moment returns the payload for it, or None where there is no hook."""

    NAME = "claude-code"

    def __init__(self, folder: str, session: str, project: str) -> None:
        self.session = session
        self.project = project
        self.transcript = os.path.join(folder, session + ".jsonl")
        self._turn = ""
        self._records = 0

    def starts(self, source: str, turn: str = "") -> dict:
        return self._payload("SessionStart", turn, source=source)

    def prompts(self, turn: str, text: str) -> dict:
        return self._payload("UserPromptSubmit", turn, permission_mode="default", prompt=text)

    def uses_tool(self, turn: str, step: Step) -> dict:
        name = "Edit" if step.kind == EDIT else "Bash"
        key, value = ("file_path", self._path(step.text)) if step.kind == EDIT else ("command", step.text)
        self._write_said({"type": "tool_use", "id": self._tool_id(), "name": name, "input": {key: value}})
        self._write("user", promptId=turn, toolUseResult=step.output, message={"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": self._tool_id(), "content": step.output}]})
        event = "PostToolUse" if step.ok else "PostToolUseFailure"
        outcome = {"tool_response": {"stdout": step.output}} if step.ok else {"error": "Exit code 1\n" + step.output}
        return self._payload(event, turn, tool_name=name, tool_input={key: value}, **outcome)

    def answers(self, turn: str, text: str) -> dict:
        return self._payload("Stop", turn, stop_hook_active=False, last_assistant_message=text)

    def breaks_off(self, turn: str) -> None:
        """No hook runs when the developer presses Esc."""
        return None

    def ends(self) -> dict:
        return self._payload("SessionEnd", self._turn, reason="other")

    def write_prompt(self, turn: str, text: str, context: str) -> None:
        """The prompt, and what the hook added to it."""
        if turn != self._turn:
            self._write("user", promptId=turn, promptSource="typed", message={"role": "user", "content": text})
        else:
            self._write("attachment", attachment={"type": "queued_command", "commandMode": "prompt", "prompt": text,
                                                  "origin": {"kind": "human"}})
        self._turn = turn
        if context:
            self._write("attachment", attachment={"type": "hook_additional_context", "content": [context],
                                                  "hookEvent": "UserPromptSubmit"})

    def write_said(self, text: str) -> None:
        self._write_said({"type": "text", "text": text})

    def write_compaction(self, step: Step) -> None:
        self._write("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
        self._write("user", isCompactSummary=True, message={"role": "user", "content": step.text})

    def _payload(self, event: str, turn: str, **fields: object) -> dict:
        facts = {"session_id": self.session, "transcript_path": self.transcript, "cwd": self.project,
                 "hook_event_name": event, **fields}
        return dict(facts, prompt_id=turn) if turn else facts

    def _path(self, name: str) -> str:
        return os.path.join(self.project, name)

    def _tool_id(self) -> str:
        return "toolu_%d" % (self._records // 2)

    def _write_said(self, block: dict) -> None:
        self._write("assistant", message={"role": "assistant", "content": [block]})

    def _write(self, kind: str, **fields: object) -> None:
        self._records += 1
        row = {"type": kind, "uuid": "%s-%d" % (self.session, self._records), "sessionId": self.session,
               "cwd": self.project, "isSidechain": False, **fields}
        with open(self.transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
