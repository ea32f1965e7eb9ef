"""One session after the other, moment by moment, with a scripted sorter: what the agent gets and what is kept."""

import json
import os
import unittest
from unittest import mock

from memsift import hook
from memsift import notes
from memsift import pending
from memsift import session
from memsift import sorters
from memsift import spawn
from memsift import worker
from memsift.archive.archive import Archive
from memsift.deadline import Deadline
from memsift.entry import Entry
from tests.support import HomeTest
from tests.support import ScriptedSorter

FACT = "We go with PayCo for payments, its fees are lower for small carts."
EVENTS = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "tool": "PostToolUse", "answer": "Stop",
          "session-end": "SessionEnd"}


class RoadTest(HomeTest):
    def run(self, result=None):
        self.sorter = ScriptedSorter()
        self.started = []
        with mock.patch.object(sorters, "load", lambda settings: self.sorter), \
                mock.patch.object(spawn, "worker", self.started.append):
            return super().run(result)

    def send(self, moment, host="claude-code", session="s1", event=None, **fields):
        payload = self.payload(host, event or EVENTS.get(moment), session_id=session, **fields)
        output = hook.answer(host, moment, json.dumps(payload).encode(), Deadline(30))
        return json.loads(output)["hookSpecificOutput"]["additionalContext"] if output else ""

    def turn(self, prompt, turn, answer="Noted.", **where):
        """A whole turn and its worker; what was added to the prompt."""
        added = self.send("prompt", prompt=prompt, turn=turn, **where)
        self.send("answer", last_assistant_message=answer, turn=turn, **where)
        worker.work(self.repository(), self.runtime())
        return added

    def notes(self):
        return notes.load(self.home, self.repository())

    def wanted(self, *entries):
        self.sorter.scores = {entry.id: 0.9 for entry in entries}


class Prompts(RoadTest):
    def test_note_of_one_host_is_given_to_the_other_once_and_again_after_a_compaction(self):
        self.turn(FACT, "t1")
        note, = self.notes()
        self.wanted(note)
        codex = {"host": "codex", "session": "c1"}
        self.assertIn("- [%s] %s: %s" % (note.id, note.date, FACT), self.send("prompt", prompt="Which one?", turn="u1", **codex))
        self.assertEqual(self.send("prompt", prompt="And why?", turn="u2", **codex), "")
        self.send("session-start", source="compact", turn="", **codex)
        self.assertIn(note.id, self.send("prompt", prompt="Which one?", turn="u3", **codex))

    def test_what_the_prompt_in_flight_was_given_survives_claude_codes_compaction_but_not_codexs(self):
        self.turn(FACT, "t1")
        self.wanted(*self.notes())
        for host, again in (("claude-code", False), ("codex", True)):
            where = {"host": host, "session": "of " + host}
            self.assertTrue(self.send("prompt", prompt="Which one?", turn="u1", **where))
            self.send("session-start", source="compact", turn="u1", **where)
            self.assertEqual(bool(self.send("prompt", prompt="Which one?", turn="u2", **where)), again)

    def test_running_session_is_not_told_what_it_just_said(self):
        """K11: nothing is recalled to the conversation that it comes from, until that is compacted away."""
        self.turn(FACT, "t1")
        self.wanted(*self.notes())
        self.assertEqual(self.send("prompt", prompt="Which one?", turn="t2"), "")
        self.send("session-start", source="compact", turn="")
        self.assertTrue(self.send("prompt", prompt="Which one?", turn="t3"))

    def test_forked_session_knows_from_its_transcript_what_it_was_given(self):
        self.turn(FACT, "t1")
        note, = self.notes()
        self.wanted(note)
        path = os.path.join(self.folder, "fork.jsonl")
        block = self.send("prompt", prompt="Which one?", turn="u1", session="parent")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [block]}}) + "\n")
        self.assertEqual(self.send("prompt", prompt="Which?", turn="u2", session="fork", transcript_path=path), "")

    def test_codex_fork_knows_what_its_parent_was_given_and_said(self):
        self.turn(FACT, "t1")
        self.turn("Carts expire after a day.", "u1", host="codex", session="parent")
        first, own = self.notes()
        self.wanted(first, own)
        self.assertIn(first.id, self.send("prompt", prompt="Which one?", turn="u2", host="codex", session="parent"))
        path = os.path.join(self.folder, "rollout-fork.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "session_meta", "payload": {"id": "fork", "forked_from_id": "parent"}}) + "\n")
        fork = {"host": "codex", "session": "fork", "transcript_path": path}
        self.send("session-start", source="fork", **fork)
        self.assertEqual(self.send("prompt", prompt="Which one?", turn="v1", **fork), "")
        self.assertIn(own.id, self.send("prompt", prompt="Which one?", turn="w1", host="codex", session="unrelated"))

    def test_kind_that_needs_nothing_adds_nothing(self):
        self.turn(FACT, "t1")
        self.wanted(*self.notes())
        self.sorter.kind = "reaction"
        self.assertEqual(self.send("prompt", prompt="ok, go ahead", turn="u1", session="s2"), "")

    def test_working_note_stands_for_its_archived_copy_and_a_replaced_one_is_never_shown(self):
        self.turn("We use pnpm.", "t1")
        old, = self.notes()
        archive = Archive(self.home.archive(self.repository()))
        archive.add([Entry(old.id, old.date, "stale copy: We use pnpm", place="archive"),
                     Entry("c9", "2026-01-01", "We use npm workspaces.", place="archive")])
        notes.append(self.home, self.repository(), [Entry("k2", "2026-11-30", "We moved to bun.", replaces=old.id)])
        self.sorter.scores = {old.id: 0.9, "k2": 0.8, "c9": 0.7}
        block = self.send("prompt", prompt="Which of npm, pnpm and bun do we use?", turn="u1", session="s2")
        self.assertIn("bun", block)
        self.assertIn("c9", block)
        self.assertNotIn("pnpm", block)
        texts = [entry.text for entry in self.sorter.questions[-1].candidates if entry.id == old.id]
        self.assertEqual(texts, ["We use pnpm."])

    def test_projects_never_see_each_others_notes(self):
        """I12: two projects, each with a word of its own."""
        from tests.support import make_repository
        other = make_repository(os.path.join(self.folder, "deeper", "acme-shop"))
        self.turn("canary-alpha is the codename.", "t1")
        self.send("prompt", prompt="canary-beta is the codename.", turn="t1", session="o1", cwd=other)
        self.send("answer", last_assistant_message="Noted.", turn="t1", session="o1", cwd=other)
        names = os.listdir(os.path.join(self.memsift_home, "repos"))
        self.assertEqual(len(names), 2)
        for name in names:
            worker.work(name, self.runtime())
        for session_id, cwd, foreign in (("a", self.project, "canary-beta"), ("b", other, "canary-alpha")):
            self.send("prompt", prompt="What is the codename?", turn="x", session=session_id, cwd=cwd)
            shown = [entry.text for entry in self.sorter.questions[-1].candidates]
            self.assertEqual(len(shown), 1)
            self.assertNotIn(foreign, shown[0])

    def test_same_prompt_gets_identical_bytes(self):
        """K12: an added clock or counter would make the host write its cache again."""
        self.turn(FACT, "t1")
        self.wanted(*self.notes())
        first = self.send("prompt", prompt="Which one?", turn="u", session="s2")
        self.assertEqual(first, self.send("prompt", prompt="Which one?", turn="u", session="s3"))

    def test_unreadable_notes_and_archive_leave_the_prompt_alone(self):
        self.turn(FACT, "t1")
        name = self.repository()
        os.unlink(self.home.draft(name))
        os.mkdir(self.home.draft(name))
        with open(self.home.archive(name), "wb") as file:
            file.write(b"no database" * 500)
        self.assertEqual(self.send("prompt", prompt="Which one?", turn="u", session="s2"), "")
        self.assertIn("ERROR core-prompt notes:", self.log_text())
        self.assertIn("ERROR core-prompt archive:", self.log_text())

    def test_hostile_transcript_paths(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        for path in ("/etc/passwd", pipe, self.folder, "/dev/zero", "relative.jsonl", "nul\0nul"):
            self.assertEqual(self.send("prompt", prompt="Which one?", turn="u", session="s2", transcript_path=path), "")

    def test_not_prompts_cost_nothing_and_leave_nothing(self):
        for prompt in ("<task-notification>\ndone", "/compact", "/memsift:other", "$memsift", "[Image #1]", ""):
            self.assertEqual(self.send("prompt", prompt=prompt), "")
        self.assertFalse(os.path.exists(self.memsift_home))


class Turns(RoadTest):
    def test_interrupted_turn_is_kept_apart_from_the_next(self):
        self.send("prompt", prompt="We use port 8443.", turn="t1")
        self.turn("Carts expire after a day.", "t2")
        self.assertEqual([(note.text, note.turn) for note in self.notes()],
                         [("We use port 8443.", "s1/t1"), ("Carts expire after a day.", "s1/t2")])

    def test_steered_prompts_are_one_turn(self):
        where = {"host": "codex", "session": "c1", "turn": "t1"}
        self.send("prompt", prompt="We use port 8443.", **where)
        self.send("prompt", prompt="And carts expire after a day.", **where)
        self.send("answer", last_assistant_message="Both noted.", **where)
        worker.work(self.repository(), self.runtime())
        note, = self.notes()
        self.assertEqual(note.text, "We use port 8443. And carts expire after a day.")

    def test_failed_turn_keeps_what_the_developer_said(self):
        self.send("prompt", prompt=FACT, turn="t1")
        self.send("interrupt", event="StopFailure", error="unknown", last_assistant_message="API Error: 400", turn="t1")
        worker.work(self.repository(), self.runtime())
        self.assertEqual([note.text for note in self.notes()], [FACT])

    def test_host_that_goes_on_after_its_first_answer_counts_the_prompt_once(self):
        self.turn(FACT, "t1")
        self.send("answer", last_assistant_message="Really done.", turn="t1", stop_hook_active=True)
        worker.work(self.repository(), self.runtime())
        self.assertEqual([note.text for note in self.notes()].count(FACT), 1)

    def test_turn_whose_hooks_could_not_write_is_caught_up_from_the_transcript(self):
        """A disk that was full for a while, a hook that the host killed: the next turn brings the lost one along."""
        path = os.path.join(self.folder, "session.jsonl")

        def host_writes(turn, prompt, answer, source="typed"):
            rows = [{"type": "user", "promptId": turn, "promptSource": source, "message": {"content": prompt}},
                    {"type": "assistant", "message": {"content": [{"type": "text", "text": answer}]}}]
            with open(path, "a", encoding="utf-8") as file:
                file.write("".join(json.dumps(row) + "\n" for row in rows))
        host_writes("t0", "Before memsift was there we used port 80.", "Yes.")
        host_writes("t1", "We use port 8443.", "Noted.")
        self.turn("We use port 8443.", "t1", transcript_path=path)
        host_writes("t2", "Carts expire after a day.", "Noted.")
        host_writes("n1", "<task-notification>x</task-notification>", "Seen.", source="system")
        host_writes("t3", "Search runs on Tantivy.", "Noted.")
        self.turn("Search runs on Tantivy.", "t3", transcript_path=path)
        self.assertEqual(sorted((note.text, note.turn) for note in self.notes()),
                         [("Carts expire after a day.", "s1/t2"), ("Search runs on Tantivy.", "s1/t3"), ("We use port 8443.", "s1/t1")])

    def test_answer_without_a_prompt_of_the_developers_keeps_nothing(self):
        """Bash mode and notifications end with a Stop, too."""
        self.send("answer", last_assistant_message="The background job is done: we use port 1.", turn="t1")
        worker.work(self.repository(), self.runtime())
        self.assertEqual(self.notes(), [])

    def test_session_that_ends_hands_over_its_open_turn_and_can_be_resumed(self):
        self.send("prompt", prompt=FACT, turn="t1")
        self.send("session-end", reason="other")
        worker.work(self.repository(), self.runtime())
        self.assertEqual([note.text for note in self.notes()], [FACT])
        self.send("session-start", source="resume")
        self.turn("Carts expire after a day.", "t2")
        self.assertEqual(len(self.notes()), 2)

    def test_every_moment_but_the_prompt_prints_nothing(self):
        self.assertEqual(self.send("session-start", source="startup"), "")
        self.assertEqual(self.send("answer", last_assistant_message="x"), "")
        self.assertEqual(self.send("session-end", reason="other"), "")

    def test_locked_session_still_keeps_the_turn(self):
        self.send("prompt", prompt=FACT, turn="t1")
        from memsift import lock
        with lock.held(self.home.session("s1")[:-5] + ".lock"), mock.patch.object(session, "WAIT_SECONDS", 0.01):
            self.send("answer", last_assistant_message="Noted.", turn="t1")
        self.assertEqual(len(pending.read(self.home, self.repository())), 1)
        self.assertEqual(self.started, [self.repository()])


class Tools(RoadTest):
    def tool(self, name, event="PostToolUse", turn="t1", **given):
        self.send("tool", event=event, tool_name=name, tool_input=given, turn=turn)

    def changes(self):
        with open(self.home.session("s1"), encoding="utf-8") as file:
            return [(change["what"], change["text"]) for change in json.load(file)["changes"]]

    def test_edits_inside_the_repository_only(self):
        self.tool("Edit", file_path=os.path.join(self.project, "src", "pay.py"))
        self.tool("Write", file_path="docs/a b.md")
        for outside in (os.path.join(self.user_home, ".claude", "memory", "x.md"), "/etc/passwd", self.project + "-2/x", "../x"):
            self.tool("Edit", file_path=outside)
        self.assertEqual(self.changes(), [("edit", "src/pay.py"), ("edit", "docs/a b.md")])

    def test_commit_subjects(self):
        table = {
            "git commit -m 'Add PayCo'": "Add PayCo",
            'cd . && git -c user.name=Dev commit -qam "Fix \\"cart\\" total"': 'Fix \\"cart\\" total',
            "git commit --message=Short": "Short",
            "git commit -m \"$(cat <<'EOF'\nAdd carts\n\nLong text\nEOF\n)\"": "Add carts",
            "git commit --amend --no-edit": "",
        }
        for command, subject in table.items():
            self.tool("Bash", command=command)
            self.assertEqual(self.changes()[-1], ("commit", subject))

    def test_command_that_failed_and_then_worked(self):
        self.send("prompt", prompt="Run the tests", turn="t1")
        self.tool("Bash", command="ls")
        self.tool("Bash", event="PostToolUseFailure", command="npm test")
        self.tool("Bash", command="npm test -- --other")
        self.tool("Bash", command="npm test")
        self.assertEqual(self.changes(), [("failed", "npm test"), ("fixed", "npm test")])

    def test_codex_takes_the_exit_code_from_its_rollout(self):
        path = os.path.join(self.folder, "rollout.jsonl")
        self.send("session-start", host="codex", source="startup")
        for id, code in (("call1", 2), ("call2", 0)):
            item = {"type": "CommandExecution", "id": id, "command": ["sh", "-lc", "make"], "exit_code": code, "aggregated_output": "x"}
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}) + "\n")
            self.send("tool", host="codex", tool_name="Bash", tool_input={"command": "make"}, tool_use_id=id, transcript_path=path)
        self.assertEqual(self.changes(), [("failed", "make"), ("fixed", "make")])

    def test_output_of_tools_is_stored_nowhere(self):
        self.send("tool", event="PostToolUseFailure", tool_name="Bash", tool_input={"command": "cat secret"}, error="OUTPUT-7731")
        self.send("tool", tool_name="Write", tool_input={"file_path": "a.py", "content": "CONTENT-7731"}, tool_response={"content": "CONTENT-7731"})
        with open(self.home.session("s1"), encoding="utf-8") as file:
            self.assertNotIn("7731", file.read())

    def test_tool_of_a_subagent_changes_nothing(self):
        self.send("tool", tool_name="Write", tool_input={"file_path": "a.py"}, agent_id="x", agent_type="helper")
        self.assertFalse(os.path.exists(self.memsift_home))


if __name__ == "__main__":
    unittest.main()
