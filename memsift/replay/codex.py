"""Codex's part in a replay: the payloads that it would hand to the hooks, and its rollout as it grows."""

from __future__ import annotations

import json
import os

from memsift.replay.recording import EDIT
from memsift.replay.recording import Step


class Codex:
    """One session. A method that speaks of a moment returns the payload for it, or None where there is no hook."""

    NAME = "codex"

    def __init__(self, folder: str, session: str, project: str) -> None:
        self.session = session
        self.project = project
        self.transcript = os.path.join(folder, "rollout-%s.jsonl" % session)
        self._turn = ""
        self._tools = 0

    def starts(self, source: str, turn: str = "") -> dict:
        return self._payload("SessionStart", source=source)

    def prompts(self, turn: str, text: str) -> dict:
        return self._payload("UserPromptSubmit", turn_id=turn, prompt=text)

    def uses_tool(self, turn: str, step: Step) -> dict | None:
        """A patch that fails is in no hook; the exit code of a command is in the rollout alone."""
        self._tools += 1
        id = "call_%d" % self._tools
        if step.kind == EDIT:
            self._write_item({"type": "FileChange", "id": id, "status": "completed",
                              "changes": {os.path.join(self.project, step.text): {"type": "update"}}})
            name, command = "apply_patch", "*** Begin Patch\n*** Update File: %s\n*** End Patch\n" % step.text
        else:
            self._write_item({"type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", step.text],
                              "exit_code": 0 if step.ok else 1, "aggregated_output": step.output})
            name, command = "Bash", step.text
        return self._payload("PostToolUse", turn_id=turn, tool_name=name, tool_input={"command": command},
                             tool_response=step.output, tool_use_id=id)

    def answers(self, turn: str, text: str) -> dict:
        return self._payload("Stop", turn_id=turn, stop_hook_active=False, last_assistant_message=text)

    def breaks_off(self, turn: str) -> dict:
        return self._payload("Interrupt", turn_id=turn)

    def ends(self) -> dict:
        return self._payload("SessionEnd", reason="other")

    def write_prompt(self, turn: str, text: str, context: str) -> None:
        """The prompt, and what the hook added to it."""
        if turn != self._turn:
            self._write("event_msg", {"type": "task_started", "turn_id": turn})
        self._turn = turn
        self._write_item({"type": "UserMessage", "content": [{"type": "text", "text": text}]})
        if context:
            self._write("response_item", {
                "type": "message", "role": "developer", "content": [{"type": "input_text", "text": context}],
                "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["hooks.additional_context"]}})

    def write_said(self, text: str) -> None:
        self._write_item({"type": "AgentMessage", "content": [{"type": "Text", "text": text}]})

    def write_compaction(self, step: Step) -> None:
        users = [{"text": text, "complete": True} for text in step.kept]
        self._write("compacted", {"message": step.text, "retained_context": {"user_messages": users}})

    def _payload(self, event: str, **fields: object) -> dict:
        return {"session_id": self.session, "transcript_path": self.transcript, "cwd": self.project,
                "hook_event_name": event, **fields}

    def _write_item(self, item: dict) -> None:
        self._write("event_msg", {"type": "item_completed", "turn_id": self._turn, "item": item})

    def _write(self, kind: str, payload: dict) -> None:
        with open(self.transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps({"type": kind, "payload": payload}) + "\n")
