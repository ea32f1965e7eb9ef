import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from memsift import leftovers
from memsift import lock
from memsift import notes
from memsift import pending
from memsift import sorters
from memsift import worker
from memsift import session
from memsift.archive.archive import Archive
from memsift.compaction import compacting
from memsift.compaction import compaction
from memsift.entry import Entry
from memsift.event import Event
from tests import processes
from tests.support import ROOT
from tests.support import HomeTest
from tests.support import ScriptedSorter

FACT = "We go with PayCo for payments, its fees are lower for small carts."


def row(id, *prompts, **facts):
    return dict({"id": id, "session": "s1", "turn": id, "host": "claude-code", "date": "2026-11-30", "end": "answered",
                 "again": False, "prompts": list(prompts), "answer": "Noted.", "changes": [], "transcript": ""}, **facts)


class Sorting(HomeTest):
    name = "acme-shop-0123456789"

    def run(self, result=None):
        self.sorter = ScriptedSorter()
        with mock.patch.object(sorters, "load", lambda settings: self.sorter):
            return super().run(result)

    def sort(self, *rows):
        for waiting in rows:
            pending.append(self.home, self.name, waiting)
        worker.work(self.name, self.runtime())
        self.assertEqual(pending.read(self.home, self.name), [])
        return notes.load(self.home, self.name)


class Worker(Sorting):
    def transcript(self, *rows):
        path = os.path.join(self.folder, "session.jsonl")
        with open(path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
        return path

    def typed(self, text, turn):
        return {"type": "user", "promptId": turn, "promptSource": "typed", "message": {"content": text}}

    def test_kept_turn_becomes_a_note_with_its_source_and_files(self):
        changes = [{"turn": "t", "what": "edit", "text": "README.md"}, {"turn": "t", "what": "commit", "text": "Add PayCo"}]
        note, = self.sort(row("0123456789abcdef", FACT, changes=changes))
        self.assertEqual((note.text, note.date, note.said, note.turn, note.files),
                         (FACT, "2026-11-30", "developer", "s1/0123456789abcdef", ["README.md"]))
        self.assertEqual(self.sorter.questions[-1].changes, ["edited README.md", "committed: Add PayCo"])

    def test_turn_that_taught_nothing_leaves_nothing(self):
        self.sorter.turn = "nothing"
        self.assertEqual(self.sort(row("a", "thanks")), [])

    def test_same_turn_sorted_again_is_one_note(self):
        self.sort(row("aaaaaaaaaaaa", FACT))
        self.assertEqual(len(self.sort(row("aaaaaaaaaaaa", FACT + " And so on, in other words than before."))), 1)

    def test_note_of_a_turn_that_is_in_the_archive_is_not_made_again(self):
        kept = self.sort(row("aaaaaaaaaaaa", FACT))
        Archive(self.home.archive(self.name)).add(kept)
        notes.remove(self.home, self.name, {kept[0].id})
        self.assertEqual(self.sort(row("aaaaaaaaaaaa", FACT)), [])

    def test_own_injected_text_is_never_learned_again(self):
        """K01: the block itself, quoted, reworded, or split over two lines."""
        note, = self.sort(row("aaaaaaaaaaaa", FACT))
        block = "memsift: notes from earlier work\n- [%s] 2026-11-30: %s" % (note.id, FACT)
        for i, answer in enumerate((block, "As noted: \"%s\"" % FACT, "PayCo has lower fees for small carts, so payments go with it.",
                                    "We go with PayCo for payments,\nits fees are lower for small carts.")):
            self.assertEqual(len(self.sort(row("b%d" % i, answer=answer, again=True))), 1, answer)

    def test_the_transcript_says_which_prompts_belong_to_a_turn(self):
        """A prompt that waited while the agent worked was recorded under the running turn."""
        path = self.transcript(self.typed("first: use PayCo", "t1"), self.typed("second: use Redis", "t2"))
        self.sort(row("r1", "first: use PayCo", "second: use Redis", turn="t1", transcript=path),
                  row("r2", turn="t2", transcript=path))
        self.assertEqual([note.text for note in notes.load(self.home, self.name)], ["first: use PayCo", "second: use Redis"])

    def test_turn_is_judged_by_what_had_been_said_before_it_and_not_after(self):
        path = self.transcript(self.typed("use PayCo", "t1"), self.typed("and Redis", "t2"), self.typed("go on", "t3"))
        self.sort(row("r1", turn="t1", transcript=path), row("r2", turn="t2", transcript=path))
        self.assertEqual([[message.text for message in question.recent] for question in self.sorter.questions],
                         [[], ["use PayCo"]])

    def test_without_a_transcript_what_the_hooks_saw_counts(self):
        for path in ("", "/no/such/file.jsonl", self.folder):
            self.sorter.questions.clear()
            self.sort(row("r" + str(len(path)), "use port %d" % len(path), transcript=path))
            self.assertEqual(len(self.sorter.questions), 1)

    def test_prompt_taken_back_with_esc_is_not_kept(self):
        path = self.transcript(self.typed("something else", "t9"))
        with mock.patch.object(worker, "TRANSCRIPT_SECONDS", 0.0):
            self.assertEqual(self.sort(row("r1", FACT, turn="t1", end="interrupted", transcript=path)), [])

    def test_notification_turn_is_no_turn_of_the_developers(self):
        path = self.transcript({"type": "user", "promptId": "t1", "promptSource": "system",
                                "message": {"content": "<task-notification>done</task-notification>"}})
        self.assertEqual(self.sort(row("r1", turn="t1", transcript=path)), [])
        self.assertEqual(self.sorter.questions, [])

    def test_unreadable_notes_keep_the_turn_waiting(self):
        """F03: a file that cannot be read is never taken for an empty one."""
        os.mkdir(self.home.draft(self.name))
        pending.append(self.home, self.name, row("a", FACT))
        with self.assertRaises(OSError):
            worker.work(self.name, self.runtime())
        self.assertEqual(len(pending.read(self.home, self.name)), 1)
        os.rmdir(self.home.draft(self.name))
        self.assertEqual(len(self.sort()), 1)

    def test_corrupt_archive_is_set_aside_and_told_to_the_log(self):
        with open(self.home.archive(self.name), "wb") as file:
            file.write(b"this is no database " * 1000)
        self.assertEqual(len(self.sort(row("a", FACT))), 1)
        self.assertIn("archive is corrupt, set aside", self.log_text())
        self.assertTrue([name for name in os.listdir(self.home.repository(self.name)) if ".corrupt-" in name])

    def test_notes_that_grew_too_long_are_compacted_and_nothing_is_lost(self):
        with mock.patch.object(compaction, "MOST_TOKENS", 300), mock.patch.object(compaction, "MOST_DIGEST_TOKENS", 150):
            kept = [row("%02d" % i, "Service number%d listens on port %d because of rule %d." % (i, 8000 + i, i)) for i in range(20)]
            left = self.sort(*kept)
        archived = Archive(self.home.archive(self.name)).ids()
        self.assertTrue(archived)
        self.assertEqual(len({note.id for note in left} | archived), 20)
        self.assertLess(len(left), 20)

    def test_switched_off_sorter_keeps_the_turns_waiting(self):
        with mock.patch.object(sorters, "load", lambda settings: None):
            pending.append(self.home, self.name, row("a", FACT))
            worker.work(self.name, self.runtime())
        self.assertEqual(len(pending.read(self.home, self.name)), 1)

    def test_turn_that_arrives_while_the_worker_is_leaving_is_sorted(self):
        """Its own worker found the lock held and went away."""
        real = worker.drain

        def drain_and_then_another_turn_ends(repository, runtime):
            is_able = real(repository, runtime)
            if not self.late:
                self.late = True
                pending.append(self.home, self.name, row("late", FACT))
            return is_able
        self.late = False
        with mock.patch.object(worker, "drain", drain_and_then_another_turn_ends):
            self.assertEqual(len(self.sort()), 1)

    def test_second_worker_leaves_at_once(self):
        pending.append(self.home, self.name, row("a", FACT))
        with lock.held(self.home.replay_lock(self.name)):
            worker.work(self.name, self.runtime())
        self.assertEqual(len(pending.read(self.home, self.name)), 1)

    def test_stale_lock_file_of_a_dead_worker_blocks_nobody(self):
        for content in ("", "99999999", "garbage\0"):
            with open(self.home.replay_lock(self.name), "w", encoding="utf-8") as file:
                file.write(content)
            self.assertTrue(self.sort(row("a" + content.strip("\0"), FACT)))


class Corrections(Sorting):
    """A correction over several turns, as the worker sees them; what is kept of other turns is tested above."""

    old, new = "Staging listens on port 8443.", "No, staging listens on port 9443."
    back = "Sorry, my mistake, staging listens on port 8443 after all."

    def correct(self, *changes):
        """Keep the old line, correct it, and give both notes."""
        self.sorter.turn = "keep"
        old, = self.sort(row("t0", self.old, session="s0"))
        self.sorter.turn, self.sorter.replaces = "correction", old.id
        notes_now = self.sort(row("t1", self.new, changes=list(changes), answer=""))
        self.sorter.turn, self.sorter.replaces = "nothing", ""
        return old, notes_now[-1]

    def left(self):
        return {note.text: note.mark for note in notes.load(self.home, self.name)}

    def test_pending_then_confirmed_by_an_edit_in_a_later_turn(self):
        _, new = self.correct()
        self.assertEqual(new.mark, "pending")
        self.sort(row("t2", "go ahead", changes=[{"turn": "t2", "what": "edit", "text": "deploy.yml"}]))
        self.assertEqual(self.left()[self.new], "correction")

    def test_confirmed_by_two_turns_that_go_on(self):
        self.correct()
        self.sort(row("t2", "go ahead"))
        self.assertEqual(self.left()[self.new], "pending")
        self.sort(row("t2", "go ahead"), row("t3", "and on"))
        self.assertEqual(self.left()[self.new], "correction")

    def test_compaction_leaves_a_waiting_correction_in_the_draft_and_applies_a_confirmed_one(self):
        self.correct()
        compacting.compact(self.name, self.runtime())
        self.assertEqual(self.left(), {self.old: "", self.new: "pending"})
        self.sort(row("t2", "go ahead"), row("t3", "and on"))
        compacting.compact(self.name, self.runtime())
        self.assertEqual(self.left(), {self.new: "correction"})

    def test_taken_back_and_sorted_again_after_a_crash_leaves_no_note(self):
        self.correct()
        self.sorter.turn = "correction"
        with mock.patch.object(pending, "remove", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.sort(row("t2", self.back, answer=""))
        self.assertEqual(self.left(), {self.old: "", self.new: "withdrawn"})
        self.sort()
        self.assertEqual(self.left(), {self.old: ""})

    def test_note_that_only_the_archive_holds_can_be_corrected(self):
        old = Entry("k1", "2026-11-01", self.old, said="developer", turn="s0/t0")
        Archive(self.home.archive(self.name)).add([old])
        self.sorter.turn, self.sorter.replaces = "correction", "k1"
        new = self.sort(row("t1", self.new, answer=""))[-1]
        self.assertEqual([note.id for note in self.sorter.questions[-1].notes], ["k1"])
        self.assertEqual((new.mark, new.replaces), ("pending", "k1"))

    def test_hand_edited_words_of_a_waiting_correction_stay(self):
        self.correct()
        path = self.home.draft(self.name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("No, staging listens", "Since May staging listens"))
        self.sort(row("t2", "go ahead"), row("t3", "and on"))
        self.assertEqual(self.left()["Since May staging listens on port 9443."], "correction")


class Leftovers(HomeTest):
    """Sessions that never said goodbye are finished by a later one (B2)."""

    def leave(self, name, age, ended=False):
        event = Event("claude-code", "prompt", name, turn="t1", cwd=self.project)
        with session.editing(self.home, event) as state:
            state.open_prompt("t1", "We use port 8443 in %s." % name)
            if ended:
                state.facts["ended"] = 1
        path = self.home.session(name)
        os.utime(path, (time.time() - age,) * 2)
        return state.repository

    def test_open_turns_of_quiet_and_ended_sessions_only(self):
        quiet = leftovers.QUIET_SECONDS
        name = self.leave("killed", quiet + 60)
        self.leave("running", 10)
        self.leave("ended", 10, ended=True)
        self.leave("clock-in-the-future", -7200)
        leftovers.collect(name, self.runtime())
        self.assertEqual(sorted(row["session"] for row in pending.read(self.home, name)), ["ended", "killed"])
        leftovers.collect(name, self.runtime())
        self.assertEqual(len(pending.read(self.home, name)), 2)

    def test_broken_session_file_stops_nothing(self):
        name = self.leave("killed", leftovers.QUIET_SECONDS + 60)
        with open(self.home.session("broken"), "w", encoding="utf-8") as file:
            file.write("{")
        leftovers.collect(name, self.runtime())
        self.assertEqual(len(pending.read(self.home, name)), 1)

    def test_file_that_another_process_deletes_while_its_folder_is_read_stops_nothing(self):
        name = self.leave("killed", leftovers.QUIET_SECONDS + 60)
        names = os.listdir

        def listed(folder):
            return names(folder) + ["sent.json", "replaced.json.0123456789ab.tmp", "pending-sorted.jsonl"]
        with mock.patch("os.listdir", listed), mock.patch.object(sorters, "load", lambda _: ScriptedSorter()):
            worker.work(name, self.runtime())
        self.assertEqual(pending.read(self.home, name), [])
        self.assertNotIn("ERROR", self.log_text())

    def test_what_cannot_be_tidied_up_stops_no_sorting(self):
        name = self.leave("killed", leftovers.QUIET_SECONDS + 60)
        refused = mock.patch.object(leftovers, "clean_cache", side_effect=PermissionError(13, "not yours"))
        with refused, mock.patch.object(sorters, "load", lambda _: ScriptedSorter()):
            worker.work(name, self.runtime())
        self.assertEqual(pending.read(self.home, name), [])
        self.assertIn("ERROR worker not everything could be tidied up", self.log_text())

    def test_state_of_a_session_nobody_resumes_is_deleted(self):
        name = self.leave("old", 10)
        event = Event("claude-code", "prompt", "old", turn="t1", cwd=self.project)
        with session.editing(self.home, event) as state:
            state.take_prompts("t1")
        os.utime(self.home.session("old"), (1, 1))
        leftovers.collect(name, self.runtime())
        self.assertEqual(os.listdir(self.home.sessions), [])

    def test_compiled_modules_of_removed_plugin_versions_are_deleted(self):
        kept = os.path.join(self.memsift_home, "cache", self.project.lstrip("/"))
        gone = os.path.join(self.memsift_home, "cache", "no/such/plugin/0.1.0/memsift")
        for folder in (kept, gone):
            os.makedirs(folder)
            with open(os.path.join(folder, "x.pyc"), "wb"):
                pass
        leftovers.clean_cache(self.memsift_home)
        self.assertEqual((os.path.exists(kept), os.path.exists(os.path.join(self.memsift_home, "cache", "no"))), (True, False))


class DetachedWorker(HomeTest):
    """The real process, started by a real hook."""

    def stop(self, name, turn="t1", **fields):
        self.hook("claude-code", "prompt", self.payload("claude-code", "UserPromptSubmit", prompt=FACT, session_id=name, turn=turn))
        return self.payload("claude-code", "Stop", last_assistant_message="Noted.", session_id=name, turn=turn, **fields)

    @unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
    def test_outlives_its_killed_hook_and_leaves_nothing_behind(self):
        payload = self.stop("s1")
        hook = subprocess.Popen([sys.executable, "-I", "-S", "-X", "utf8", os.path.join(ROOT, "hooks", "claude_code.py"), "answer"],
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=self.environment, start_new_session=True)
        hook.stdin.write(json.dumps(payload).encode())
        hook.stdin.close()
        hook.wait(30)
        try:
            os.killpg(hook.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # nothing is left in the hook's group, as it should be
        self.wait_for(lambda: pending.read(self.home, self.repository()) == [])
        self.wait_for(lambda: processes.bearing(self.folder) == {})
        self.assertNotIn("ERROR", self.log_text())

    def test_works_from_a_plugin_folder_that_is_gone_by_then(self):
        """M14: an update removes the folder that running sessions use; the turn waits for the next start."""
        plugin = os.path.join(self.folder, "plugin")
        for name in ("hooks", "memsift"):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(plugin, name))
        os.unlink(os.path.join(plugin, "hooks", "worker.py"))  # gone before the worker could start
        payload = self.stop("s1")
        subprocess.run([sys.executable, "-I", "-S", os.path.join(plugin, "hooks", "claude_code.py"), "answer"],
                       input=json.dumps(payload).encode(), env=self.environment, check=True)
        shutil.rmtree(plugin)
        self.wait_for(lambda: not os.path.isdir("/proc/self") or processes.bearing(self.folder) == {})
        self.assertEqual(len(pending.read(self.home, self.repository())), 1)
        self.hook("claude-code", "session-start", self.payload("claude-code", "SessionStart", source="startup", session_id="s2"))
        self.wait_for(lambda: pending.read(self.home, self.repository()) == [])

    def test_no_key_in_the_workers_environment(self):
        from memsift import spawn
        with mock.patch.dict(os.environ, {"https_proxy": "http://127.0.0.1:3128", "SSL_CERT_FILE": "/etc/ca.pem",
                                          "ANTHROPIC_API_KEY": "x", "OPENAI_API_KEY": "x", "CLAUDE_CODE_MESSAGING_TOKEN": "x",
                                          "MEMSIFT_DEBUG": "1"}):
            passed = spawn.environment()
        self.assertEqual(set(passed) - {"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "MEMSIFT_GRACE_SECONDS"}, 
                         {"MEMSIFT_DEBUG", "MEMSIFT_INSIDE", "https_proxy", "SSL_CERT_FILE"})


if __name__ == "__main__":
    unittest.main()
