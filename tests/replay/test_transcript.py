import json
import os

from memsift.replay import transcript
from tests.support import FIXTURES
from tests.support import HomeTest

CLAUDE = os.path.join(FIXTURES, "claude-code", "transcripts")
CODEX = os.path.join(FIXTURES, "codex", "rollouts")


def steps(turn):
    return [(step.kind, step.text[:40]) for step in turn.steps]


class TranscriptTest(HomeTest):

    def test_claude_code(self):
        path = os.path.join(CLAUDE, "headless-resumed-tools-failure-then-success.jsonl")
        recording = transcript.read(path, "claude-code")
        self.assertEqual((recording.project, recording.place), ("acme-shop", "/home/dev/acme-shop"))
        self.assertTrue(recording.began.startswith("2026-11-30T00:26:49"))
        self.assertEqual(recording.sessions[0].id, "042eafdb-bade-4b17-9943-04a6c004c584")
        self.assertEqual([turn.day for turn in recording.turns], ["2026-11-30"] * 3)
        self.assertEqual(steps(recording.turns[0]), [
            ("prompt", "We go with PayCo for payments, its fees "), ("edit", "README.md"),
            ("said", "Noted: acme-shop uses PayCo because its ")])
        self.assertEqual([kind for kind, _ in steps(recording.turns[1])],
                         ["prompt", "said", "command", "edit", "edit", "command", "command", "said"])
        self.assertEqual(recording.turns[2].answer, "OK.")

    def test_codex(self):
        recording = transcript.read(os.path.join(CODEX, "tools_fail_then_ok.jsonl"), "codex")
        self.assertEqual(recording.sessions[0].id, "01a229d4-9990-7c73-b8de-e24b03d10d07")
        self.assertEqual(recording.place, "/home/dev/acme-shop")
        first = recording.turns[0]
        self.assertEqual(steps(first)[:4], [("prompt", "Make acme.py print the shop name"),
                                            ("command", "python3 acme.py"), ("edit", "acme.py"),
                                            ("command", "python3 acme.py")])
        self.assertEqual([step.ok for step in first.steps if step.kind == "command"], [False, True])
        self.assertEqual(recording.turns[1].prompts, ["Commit it"])

    def test_turns_that_nobody_typed_are_left_out(self):
        path = os.path.join(CLAUDE, "tui-bash-command-subagent-interrupt-queued-compact.jsonl")
        turns = transcript.read(path, "claude-code").turns
        self.assertEqual([turn.prompts for turn in turns], [
            ["Which database do we use in acme-shop?"], ["Use a helper to look at the cart."],
            ["Explain at length."], ["Wait four seconds.", "And this one was queued meanwhile."],
            ["What did we choose for payments?"]])

    def test_a_compaction_between_turns_belongs_to_the_next_one(self):
        path = os.path.join(CLAUDE, "tui-bash-command-subagent-interrupt-queued-compact.jsonl")
        last = transcript.read(path, "claude-code").turns[-1]
        self.assertEqual([step.kind for step in last.steps], ["compaction", "prompt", "said"])
        self.assertTrue(last.steps[0].text.startswith("This session is being continued"))

    def test_a_compaction_within_a_turn_stays_there(self):
        turns = transcript.read(os.path.join(CODEX, "compacted_auto_midturn.jsonl"), "codex").turns
        self.assertEqual([step.kind for step in turns[1].steps], ["prompt", "command", "compaction", "said"])
        self.assertEqual(turns[1].steps[2].kept, ["first", "second"])

    def test_a_turn_id_that_a_fork_repeats_is_told_apart(self):
        turns = transcript.read(os.path.join(CLAUDE, "headless-forked.jsonl"), "claude-code").turns
        self.assertEqual(len({turn.id for turn in turns}), 2)

    def test_lines_that_are_no_records_are_passed_over(self):
        with open(os.path.join(CODEX, "normal.jsonl"), "rb") as file:
            lines = file.read().splitlines()
        broken = [b"", b"\x00\xff\xfe", b"[]", b'{"type": "session_meta", "payload": 3, "timestamp": 5}', b"{"]
        path = os.path.join(self.folder, "rollout.jsonl")
        with open(path, "wb") as file:
            file.write(b"\n".join(broken + lines + broken) + lines[-1][:30])
        self.assertEqual(transcript.host_of(path), "codex")
        self.assertEqual(transcript.read(path, "codex").count_prompts(), 2)

    def test_files_outside_of_the_project_keep_their_whole_path(self):
        rows = [
            {"type": "user", "sessionId": "x", "cwd": "/home/dev/acme-shop", "promptId": "p", "promptSource": "typed",
             "message": {"role": "user", "content": "Write it down."}},
            {"type": "assistant", "sessionId": "x", "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": "1", "name": "Write", "input": {"file_path": "/home/dev/.claude/notes.md"}},
                {"type": "tool_use", "id": "2", "name": "Write", "input": {"file_path": "/home/dev/acme-shop/a.py"}}]}},
        ]
        path = os.path.join(self.folder, "t.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        self.assertEqual(steps(transcript.read(path, "claude-code").turns[0])[1:],
                         [("edit", "/home/dev/.claude/notes.md"), ("edit", "a.py")])
