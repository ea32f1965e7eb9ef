import json
import os
import unittest

from memsift import conversation
from memsift.hosts import claude_transcript
from memsift.hosts import codex_rollout
from tests.support import FIXTURES
from tests.support import HomeTest

TUI = os.path.join(FIXTURES, "claude-code", "transcripts", "tui-bash-command-subagent-interrupt-queued-compact.jsonl")
FORKED = os.path.join(FIXTURES, "claude-code", "transcripts", "headless-forked.jsonl")
BLOCK = "memsift: notes from earlier work.\n- [k1] 2026-11-30: PayCo."


def rollout(name):
    return os.path.join(FIXTURES, "codex", "rollouts", name + ".jsonl")


def said(found):
    return [(message.role, message.text) for message in found.messages]


class RecordedConversations(unittest.TestCase):
    """What is read from real recordings of both hosts."""

    def test_claude_code_after_a_compaction_only_the_kept_answer_the_summary_and_later_messages(self):
        found = said(conversation.recent(TUI, claude_transcript.records))
        self.assertEqual(found[0], ("agent", "Both requests are done."))
        self.assertEqual(found[1][0], "summary")
        self.assertIn("SUMMARY-MARKER-7731", found[1][1])
        self.assertEqual(found[2:], [("developer", "What did we choose for payments?"), ("agent", "PayCo, for its lower fees.")])

    def test_claude_code_fork_holds_its_parents_conversation(self):
        self.assertEqual([text for _, text in said(conversation.recent(FORKED, claude_transcript.records))],
                         ["first prompt of the original", "OK.", "prompt in the fork", "OK."])

    def test_claude_code_subagent_says_nothing(self):
        path = os.path.join(FIXTURES, "claude-code", "transcripts", "subagent-sidechain.jsonl")
        self.assertEqual(said(conversation.recent(path, claude_transcript.records)), [])

    def test_codex_rollouts(self):
        table = {
            "normal": ["Which payment provider did we pick for acme-shop?", "We picked Stripe because of SEPA.",
                       "ok thanks", "You're welcome."],
            "resumed_exec": ["Start the acme-shop checkout page", "Started.", "continue where we stopped", "Continuing."],
            "stop_continuation": ["finish it", "done?", "really done"],
            "subagent": ["use a subagent", "m2"],
            "tools_codemode_gpt6": ["Check acme.py again", "Works."],
            "compacted_remote_encrypted": ["We use Postgres 16 because the host imposes it", "List files",
                                           "What was the database?", "Postgres 16."],
        }
        for name, expected in table.items():
            with self.subTest(name):
                self.assertEqual([text for _, text in said(conversation.recent(rollout(name), codex_rollout.records))], expected)

    def test_codex_local_compaction_has_a_readable_summary(self):
        found = said(conversation.recent(rollout("compacted_local"), codex_rollout.records))
        self.assertIn("summary", [role for role, _ in found])
        self.assertEqual(found[-1], ("agent", "Postgres 16."))


class RecordedTurns(unittest.TestCase):
    """Which prompts belong to a turn, in a session with commands, notifications, an interrupt and a queued prompt."""

    def test_claude_code_turns(self):
        table = {
            "f26056e9-bd99-4f68-bdaf-0b65dee30de4": ["Wait four seconds.", "And this one was queued meanwhile."],
            "7c76ef11-aa35-4c92-b972-d85d225b8573": ["Explain at length."],
            "eb0e5c27-0621-43b1-b44c-20006df2b573": ["Use a helper to look at the cart."],
            "02e03e53-4497-4fc2-83ec-8e9d1ae9ec14": [],  # a task notification
            "ce2e66c2-06a6-480d-ac8c-07c56f451efe": [],  # a slash command
            "f457da4d-7d64-4961-be62-665355246bce": [],  # bash mode
        }
        for turn_id, prompts in table.items():
            with self.subTest(turn_id):
                self.assertEqual(conversation.turn(TUI, claude_transcript.records, turn_id).prompts, prompts)

    def test_a_forked_session_that_repeats_an_id_means_the_last_turn(self):
        found = conversation.turn(FORKED, claude_transcript.records, "6f410c25-a2a3-44f9-ae88-37357bd6d62c")
        self.assertEqual(found.prompts, ["prompt in the fork"])

    def test_unknown_turn_is_none(self):
        self.assertIsNone(conversation.turn(TUI, claude_transcript.records, "no-such-turn"))
        self.assertIsNone(conversation.turn("/no/such/file.jsonl", claude_transcript.records, "x"))

    def test_codex_turn_with_its_final_answer(self):
        path = rollout("stop_continuation")
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        turn_id = next(row["payload"]["turn_id"] for row in rows if row["payload"].get("type") == "task_started")
        found = conversation.turn(path, codex_rollout.records, turn_id)
        self.assertEqual((found.prompts, found.answer), (["finish it"], "really done"))


def user(text, uuid, turn, **more):
    return dict({"type": "user", "uuid": uuid, "promptId": turn, "promptSource": "typed",
                 "message": {"role": "user", "content": text}}, **more)


def agent(text, uuid):
    return {"type": "assistant", "uuid": uuid, "message": {"content": [{"type": "text", "text": text}]}}


def given(uuid, text=BLOCK):
    return {"type": "attachment", "uuid": uuid, "attachment": {"type": "hook_additional_context", "content": [text]}}


def boundary(*kept):
    metadata = {"preservedMessages": {"allUuids": list(kept)}} if kept else {}
    return {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata}


class WrittenConversations(HomeTest):
    """Cases that the recordings do not hold."""

    def test_as_it_was_when_an_earlier_turn_began(self):
        rows = [user("a", "1", "t1"), agent("b", "2"), user("c", "3", "t2"), agent("d", "4"), user("e", "5", "t3")]
        for turn, expected in (("t1", []), ("t2", ["a", "b"]), ("t3", ["a", "b", "c", "d"]), ("gone", [])):
            self.assertEqual([text for _, text in said(self.recent(*rows, before=turn))], expected, turn)

    def test_as_it_was_before_a_turn_is_no_more_than_wanted_and_nothing_that_was_kept_out(self):
        hidden = user("The password (off the record)", "3", "t2")
        rows = [user("far away", "1", "t1"), agent("b" * 900, "2"), hidden, agent("c" * 900, "4"),
                user("d", "5", "t3"), agent("e" * 200, "6"), user("f", "7", "t4")]
        texts = [text for _, text in said(self.recent(*rows, before="t4", characters=1_000))]
        self.assertEqual((texts[-2:], [set(text) for text in texts[:-2]]), (["d", "e" * 200], [set("b")]))
        self.assertLessEqual(sum(map(len, texts)), 1_010)

    def recent(self, *rows, raw=b"", **limits):
        path = os.path.join(self.folder, "session.jsonl")
        with open(path, "wb") as file:
            file.write(b"".join(json.dumps(row).encode() + b"\n" for row in rows) + raw)
        return conversation.recent(path, claude_transcript.records, **limits)

    def test_given_notes_are_known_by_their_ids(self):
        self.assertEqual(self.recent(user("a", "1", "t1"), given("2"), agent("b", "3")).given, {"k1"})

    def test_manual_compaction_drops_what_was_given(self):
        self.assertEqual(self.recent(user("a", "1", "t1"), given("2"), boundary()).given, set())

    def test_automatic_compaction_keeps_what_the_prompt_in_flight_was_given(self):
        rows = [user("old", "0", "t0"), given("9", BLOCK.replace("k1", "k0")), user("a", "1", "t1"), given("2"),
                boundary("1", "2"), user("This session is being continued", "4", "t1", isCompactSummary=True)]
        found = self.recent(*rows)
        self.assertEqual(found.given, {"k1"})
        self.assertEqual([text for _, text in said(found)], ["a", BLOCK, "This session is being continued"])

    def test_a_line_still_being_written_is_passed_over(self):
        found = self.recent(user("whole", "1", "t1"), raw=b'{"type":"user","message":{"content":"hal')
        self.assertEqual(said(found), [("developer", "whole")])

    def test_broken_bytes_in_one_line_spare_the_others(self):
        broken = b'{"type":"assistant","uuid":"3","message":{"content":[{"type":"text","text":"curly \x9d \x00 quote"}]}}\n'
        found = self.recent(user("whole", "1", "t1"), raw=broken + b"\xff\xfe\n[1]\n17\n" + b'{"type":[]}\n')
        self.assertEqual([role for role, _ in said(found)], ["developer", "agent"])

    def test_image_is_not_text(self):
        content = [{"type": "image", "source": {"type": "base64", "data": "A" * 100_000}}, {"type": "text", "text": "look"}]
        self.assertEqual(said(self.recent(user(content, "1", "t1"))), [("developer", "look")])

    def test_only_the_end_of_a_long_conversation(self):
        rows = [user("prompt %d " % i + "x" * 990, str(i), "t%d" % i) for i in range(100)]
        found = said(self.recent(*rows, characters=2_500))
        self.assertEqual([text.split(" x")[0] for _, text in found], [found[0][1].split(" x")[0], "prompt 98", "prompt 99"])

    def test_secret_in_a_transcript_is_redacted(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        found = self.recent(user("use " + secret, "1", "t1"))
        self.assertNotIn(secret, said(found)[0][1])

    def test_pipe_or_folder_is_refused_at_once(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        for path in (pipe, self.folder):
            with self.assertRaises(OSError):
                conversation.recent(path, claude_transcript.records)

    def test_other_plugins_context_is_not_memsifts(self):
        self.assertEqual(said(self.recent(given("1", "something else"))), [])


if __name__ == "__main__":
    unittest.main()
