"""What the stand-ins for both hosts write and send, read with the modules that read the real hosts."""

import json
import os

from memsift import conversation
from memsift import hosts
from memsift.replay.claude_code import ClaudeCode
from memsift.replay.codex import Codex
from memsift.replay.recording import Step
from tests.support import FIXTURES
from tests.support import HomeTest

CONTEXT = "memsift: notes\n- [k1] 2026-03-02: We go with PayCo."
REAL = {
    ClaudeCode.NAME: ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Edit", "PostToolUse.Bash",
                      "PostToolUseFailure.Bash", "Stop", "SessionEnd.other"),
    Codex.NAME: ("SessionStart-startup", "UserPromptSubmit", "PostToolUse-apply_patch", "PostToolUse-Bash", "Stop",
                 "Interrupt", "SessionEnd"),
}


class StandInTest(HomeTest):

    def each(self):
        return [(stand_in(self.folder, "session-%s" % stand_in.NAME, self.project), hosts.load(stand_in.NAME),
                 hosts.reader(stand_in.NAME)) for stand_in in (ClaudeCode, Codex)]

    def test_the_real_host_module_understands_every_payload(self):
        for stand_in, host, record in self.each():
            with self.subTest(host.NAME):
                started = host.read("session-start", stand_in.starts("startup"))
                self.assertEqual((started.source, started.cwd), ("startup", self.project))
                prompt = host.read("prompt", stand_in.prompts("t1", "hello there"))
                self.assertEqual((prompt.turn, prompt.prompt, prompt.transcript),
                                 ("t1", "hello there", stand_in.transcript))
                answer = host.read("answer", stand_in.answers("t1", "hello back"))
                self.assertEqual((answer.turn, answer.answer), ("t1", "hello back"))
                self.assertEqual(host.read("session-end", stand_in.ends()).session, stand_in.session)

    def test_no_field_is_made_up(self):
        for stand_in, host, record in self.each():
            with self.subTest(host.NAME):
                known = set()
                for name in REAL[host.NAME]:
                    with open(os.path.join(FIXTURES, host.NAME, "hooks", name + ".json"), encoding="utf-8") as file:
                        known.update(json.load(file))
                edit, failing = Step("edit", "a.py"), Step("command", "make", ok=False)
                payloads = [stand_in.starts("startup"), stand_in.prompts("t1", "x"), stand_in.uses_tool("t1", edit),
                            stand_in.uses_tool("t1", failing), stand_in.answers("t1", "y"), stand_in.breaks_off("t1"),
                            stand_in.ends()]
                self.assertLessEqual({name for payload in payloads if payload for name in payload}, known)

    def test_changes(self):
        for stand_in, host, record in self.each():
            with self.subTest(host.NAME):
                stand_in.write_prompt("t1", "work", "")
                edit = host.read("tool", stand_in.uses_tool("t1", Step("edit", "src/a.py"))).change
                self.assertEqual(edit.what, "edit")
                self.assertEqual(os.path.join(self.project, edit.text), os.path.join(self.project, "src/a.py"))
                failed = host.read("tool", stand_in.uses_tool("t1", Step("command", "make", ok=False, output="no")))
                self.assertEqual(failed.change.text, "make")
                if failed.change.what == "ran":
                    with open(stand_in.transcript, "rb") as file:
                        self.assertEqual(record.exit_code(file.read().splitlines()[-1], failed.tool_id), 1)
                else:
                    self.assertEqual(failed.change.what, "failed")

    def test_the_record_reads_like_the_hosts_own(self):
        for stand_in, host, record in self.each():
            with self.subTest(host.NAME):
                stand_in.write_prompt("t1", "first", "")
                stand_in.write_said("one")
                stand_in.write_prompt("t2", "second", CONTEXT)
                stand_in.uses_tool("t2", Step("command", "make", output="a lot of output"))
                stand_in.write_prompt("t2", "and this", "")
                stand_in.write_said("two")
                recent = conversation.recent(stand_in.transcript, record.records)
                self.assertEqual([(message.role, message.text) for message in recent.messages], [
                    ("developer", "first"), ("agent", "one"), ("developer", "second"), ("memory", CONTEXT),
                    ("developer", "and this"), ("agent", "two")])
                self.assertEqual(recent.given, {"k1"})
                turn = conversation.turn(stand_in.transcript, record.records, "t2")
                self.assertEqual((turn.prompts, turn.answer), (["second", "and this"], "two"))

    def test_a_compaction_forgets_what_was_before(self):
        for stand_in, host, record in self.each():
            with self.subTest(host.NAME):
                stand_in.write_prompt("t1", "first", CONTEXT)
                stand_in.write_said("one")
                stand_in.write_compaction(Step("compaction", "They chose PayCo.", kept=["first"]))
                stand_in.write_prompt("t2", "second", "")
                recent = conversation.recent(stand_in.transcript, record.records)
                self.assertEqual(recent.given, set())
                self.assertEqual([message.text for message in recent.messages][-2:], ["They chose PayCo.", "second"])
