import json
import os
import unittest

from memsift import hosts
from memsift.event import Answer
from memsift.event import BadPayload
from tests.support import FIXTURES

MOMENTS = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "PostToolUse": "tool",
           "PostToolUseFailure": "tool", "Stop": "answer", "StopFailure": "interrupt", "Interrupt": "interrupt",
           "SessionEnd": "session-end"}
# Captured payloads that are nothing for memsift, by what their file is called.
NOT_OURS = ("subagent", "task-notification", "slash", "PostToolUse.Read", "PostToolUse.Agent", "spawn_agent")


def captured(host):
    folder = os.path.join(FIXTURES, host, "hooks")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield name, json.load(file)


class CapturedPayloads(unittest.TestCase):
    def test_every_payload_is_an_event_or_nothing(self):
        for host in hosts.NAMES:
            for name, payload in captured(host):
                moment = MOMENTS.get(payload.get("hook_event_name", ""))
                if moment is None:
                    continue
                with self.subTest(host=host, name=name):
                    event = hosts.load(host).read(moment, payload)
                    self.assertEqual(event is None, any(word in name for word in NOT_OURS))
                    if event:
                        self.assertEqual((event.host, event.moment), (host, moment))
                        self.assertEqual(event.session, payload["session_id"])

    def test_payload_of_another_event_is_refused(self):
        for host in hosts.NAMES:
            for name, payload in captured(host):
                for moment in set(MOMENTS.values()) - {MOMENTS.get(payload.get("hook_event_name", ""))}:
                    with self.subTest(host=host, name=name, moment=moment), self.assertRaises(BadPayload):
                        hosts.load(host).read(moment, payload)

    def test_missing_session(self):
        for host in hosts.NAMES:
            with self.assertRaises(BadPayload):
                hosts.load(host).read("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "x"})

    def test_fields_of_another_type_count_as_absent(self):
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello", "cwd": 3,
                   "prompt_id": None, "turn_id": {}, "transcript_path": []}
        for host in hosts.NAMES:
            event = hosts.load(host).read("prompt", payload)
            self.assertEqual((event.cwd, event.turn, event.transcript), ("", "", ""))


class Ids(unittest.TestCase):
    def test_id_that_is_a_secret_is_replaced_and_any_other_is_kept(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        for host, turn in (("claude-code", "prompt_id"), ("codex", "turn_id")):
            for id in (secret, "3a4003bc-9149-43d7-8a5a-71699cc4a209", "session 1", "../x"):
                payload = {"hook_event_name": "UserPromptSubmit", "session_id": id, turn: id, "prompt": "hello"}
                event = hosts.load(host).read("prompt", payload)
                self.assertEqual((event.session == id, event.turn == id), (id != secret, id != secret))
                self.assertNotIn(secret, event.session + event.turn)


class Changes(unittest.TestCase):
    def change(self, host, event, **fields):
        payload = dict({"hook_event_name": event, "session_id": "s", "cwd": "/home/dev/acme-shop"}, **fields)
        found = hosts.load(host).read("tool", payload)
        return (found.change.what, found.change.text) if found else None

    def test_table(self):
        patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n*** Add File: c.py\n+x\n*** End Patch\n"
        rows = [
            ("claude-code", "PostToolUse", "Edit", {"file_path": "/a.py"}, ("edit", "/a.py")),
            ("claude-code", "PostToolUse", "NotebookEdit", {"notebook_path": "/n.ipynb"}, ("edit", "/n.ipynb")),
            ("claude-code", "PostToolUse", "Bash", {"command": "ls"}, ("passed", "ls")),
            ("claude-code", "PostToolUseFailure", "Bash", {"command": "ls"}, ("failed", "ls")),
            ("claude-code", "PostToolUseFailure", "Edit", {"file_path": "/a.py"}, None),
            ("claude-code", "PostToolUse", "Read", {"file_path": "/a.py"}, None),
            ("claude-code", "PostToolUse", "Bash", "ls", None),
            ("codex", "PostToolUse", "apply_patch", {"command": patch}, ("edit", "a.py\nb.py\nc.py")),
            ("codex", "PostToolUse", "apply_patch", {"command": "no patch"}, None),
            ("codex", "PostToolUse", "Bash", {"command": "ls"}, ("ran", "ls")),
        ]
        for host, event, tool, given, expected in rows:
            with self.subTest(host=host, tool=tool, event=event):
                self.assertEqual(self.change(host, event, tool_name=tool, tool_input=given), expected)

    def test_command_that_the_developer_interrupted_did_not_fail(self):
        self.assertIsNone(self.change("claude-code", "PostToolUseFailure", tool_name="Bash",
                                      tool_input={"command": "sleep 9"}, is_interrupt=True))


class Output(unittest.TestCase):
    def test_nothing_to_say_prints_nothing(self):
        for host in hosts.NAMES:
            for moment in set(MOMENTS.values()):
                self.assertEqual(hosts.load(host).write(moment, Answer()), "")

    def test_context_goes_to_the_agent_at_a_prompt_only(self):
        for host in hosts.NAMES:
            output = json.loads(hosts.load(host).write("prompt", Answer(context="block")))
            self.assertEqual(output, {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "block"}})
            self.assertEqual(hosts.load(host).write("answer", Answer(context="block")), "")

    def test_message_goes_to_the_user(self):
        for host in hosts.NAMES:
            self.assertEqual(json.loads(hosts.load(host).write("session-start", Answer(message="m"))), {"systemMessage": "m"})


class ExitCodes(unittest.TestCase):
    def test_codex_writes_them_to_the_rollout(self):
        codex = hosts.reader("codex")
        path = os.path.join(FIXTURES, "codex", "rollouts", "tools_fail_then_ok.jsonl")
        with open(path, "rb") as file:
            lines = file.read().splitlines()
        codes = [code for code in (codex.exit_code(line, "call_24a0c88890") for line in lines) if code is not None]
        self.assertEqual(codes, [2])


if __name__ == "__main__":
    unittest.main()
