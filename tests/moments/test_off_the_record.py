"""A prompt with the marker, and its turn, leave no trace; what comes before and after is as always."""

import json
import os
import unittest

from memsift import conversation
from memsift import event
from memsift import hosts
from memsift import pending
from tests.moments.test_road import FACT
from tests.moments.test_road import RoadTest

SECRET_PLAN = "We buy the competitor in March."
PROMPT = "(off the record) " + SECRET_PLAN


class OffTheRecord(RoadTest):
    def everything(self):
        """All that memsift has on disk."""
        texts = []
        for folder, _, names in os.walk(self.memsift_home):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    texts.append(name + file.read())
        return "\n".join(texts)

    def assert_no_trace(self):
        for word in ("competitor", "March", "secret answer", "secret.txt"):
            self.assertNotIn(word, self.everything())

    def test_neither_the_prompt_nor_its_turn_is_judged_or_stored(self):
        for host in hosts.NAMES:
            with self.subTest(host):
                self.assertEqual(self.send("prompt", host, host, prompt=PROMPT, turn="t1"), "")
                self.send("tool", host, host, event="PostToolUse", turn="t1",
                          **({"tool_name": "Write", "tool_input": {"file_path": os.path.join(self.project,
                                                                                             "secret.txt")}}
                             if host == "claude-code" else {"tool_name": "apply_patch", "tool_use_id": "x", "tool_input": {
                                 "command": "*** Begin Patch\n*** Add File: secret.txt\n+x\n*** End Patch"}}))
                self.send("answer", host, host, last_assistant_message="A secret answer.", turn="t1")
                self.send("session-end", host, host, event="SessionEnd", turn="")
                self.assertEqual(self.sorter.questions, [])
                self.assertEqual(pending.read(self.home, self.repository()), [])
                self.assert_no_trace()

    def test_turns_around_it_are_kept(self):
        self.send("prompt", prompt=FACT, turn="t1")
        self.send("answer", last_assistant_message="Noted.", turn="t1")
        self.send("prompt", prompt=PROMPT, turn="t2")
        self.send("answer", last_assistant_message="A secret answer.", turn="t2")
        self.send("prompt", prompt="Carts expire after a day.", turn="t3")
        self.send("answer", last_assistant_message="Noted.", turn="t3")
        rows = pending.read(self.home, self.repository())
        self.assertEqual([row["prompts"] for row in rows], [[FACT], ["Carts expire after a day."]])
        self.assert_no_trace()

    def test_typed_while_the_agent_works_and_answered_later_under_an_id_that_nobody_saw(self):
        self.send("prompt", prompt="Carts expire after a day.", turn="t1")
        self.send("prompt", prompt=PROMPT, turn="t1")
        self.send("answer", last_assistant_message="Noted.", turn="t1")
        self.send("answer", last_assistant_message="A secret answer.", turn="t9")
        self.send("prompt", prompt=FACT, turn="t10")
        self.send("answer", last_assistant_message="Noted.", turn="t10")
        self.assertEqual([row["prompts"] for row in pending.read(self.home, self.repository())], [[FACT]])
        self.assert_no_trace()

    def test_interrupted(self):
        self.send("prompt", prompt=PROMPT, turn="t1")
        self.send("interrupt", event="StopFailure", turn="t1")
        self.send("prompt", prompt=FACT, turn="t2")
        self.send("answer", last_assistant_message="Noted.", turn="t2")
        self.assertEqual([row["prompts"] for row in pending.read(self.home, self.repository())], [[FACT]])


class InTheHostsRecords(RoadTest):
    """The host writes everything down: what is read back from there later is without such turns."""

    def claude(self, *pairs):
        rows = []
        for number, (prompt, answer) in enumerate(pairs):
            is_command = prompt.startswith("<")
            rows.append({"type": "user", "uuid": "u%d" % number, "promptId": "p%d" % number, "message": {"role": "user", "content": prompt},
                         **({} if is_command else {"promptSource": "typed"})})
            rows.append({"type": "assistant", "uuid": "a%d" % number, "message": {"content": [{"type": "text", "text": answer}]}})
        return self.record(rows)

    def codex(self, *pairs):
        rows = []
        for number, (prompt, answer) in enumerate(pairs):
            rows.append({"type": "event_msg", "payload": {"type": "task_started", "turn_id": "p%d" % number}})
            for kind, text in (("UserMessage", prompt), ("AgentMessage", answer)):
                rows.append({"type": "event_msg", "payload": {"type": "item_completed", "item": {
                    "type": kind, "content": [{"type": "text", "text": text}]}}})
        return self.record(rows)

    def record(self, rows):
        path = os.path.join(self.folder, "record.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        return path

    def check(self, host, path):
        reader = hosts.reader(host).records
        said = [message.text for message in conversation.recent(path, reader).messages]
        self.assertEqual(said, ["Which port?", "8443.", "And the host?", "acme.example."])
        self.assertEqual(conversation.turn(path, reader, "p1").prompts, [])
        missed = conversation.turns_between(path, reader, "p3", {"p0"})
        self.assertEqual([found.prompts for _, found in missed], [[], []])

    def test_marked_prompt(self):
        pairs = [("Which port?", "8443."), (PROMPT, "A secret answer."), (PROMPT, "Another."), ("And the host?", "acme.example.")]
        self.check("claude-code", self.claude(*pairs))
        self.check("codex", self.codex(*pairs))

    def test_request_to_memsift(self):
        command = "<command-message>memsift:memsift-doctor</command-message>\n<command-name>/memsift:memsift-doctor</command-name>"
        around = [("Which port?", "8443."), None, None, ("And the host?", "acme.example.")]
        self.check("claude-code", self.claude(*[pair or (command, "All is well.") for pair in around]))
        self.check("codex", self.codex(*[pair or ("$memsift:memsift-doctor", "All is well.") for pair in around]))

    def test_marker_is_what_the_documents_say(self):
        self.assertEqual(event.MARKER, "(off the record)")


if __name__ == "__main__":
    unittest.main()
