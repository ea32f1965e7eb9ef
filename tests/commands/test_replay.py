import json
import os
import signal
import subprocess
import sys

from tests.replay import acme_shop
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers
from tests.support import FIXTURES
from tests.support import ROOT
from tests.support import HomeTest
from tests.support import heed_interrupts

ROLLOUT = os.path.join(FIXTURES, "codex", "rollouts", "normal.jsonl")
SIDECHAIN = os.path.join(FIXTURES, "claude-code", "transcripts", "subagent-sidechain.jsonl")


class ReplayTest(HomeTest):

    def setUp(self):
        super().setUp()
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)
        self.environment["TMPDIR"] = self.temporary
        self.addCleanup(self.check_nothing_is_left)

    def check_nothing_is_left(self):
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertEqual(os.listdir(self.user_home), [])

    def start(self, *arguments, **options):
        return subprocess.Popen([sys.executable, "-m", "memsift", "replay", *arguments], cwd=ROOT, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options)

    def run_replay(self, *arguments):
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output, errors

    def test_json_is_one_object(self):
        for way in ("local", "none"):
            for memory in ("own", "gold"):
                with self.subTest(way=way, memory=memory):
                    code, output, errors = self.run_replay("--json", "--sorter", way, "--memory", memory, acme_shop.FILE,
                                                           ROLLOUT)
                    self.assertEqual((code, errors), (0, ""))
                    report = json.loads(output)
                    self.assertEqual(set(report), {"conversations", "total"})
                    labelled, bare = report["conversations"]
                    self.assertEqual(set(labelled), {
                        "file", "prompts", "added", "characters", "added_for_nothing", "reminders_expected",
                        "reminders_found", "wait_ms", "kept", "per_prompt"})
                    self.assertEqual(set(labelled["per_prompt"][0]), {"id", "kind", "added", "characters", "wait_ms"})
                    self.assertEqual((labelled["file"], bare["file"]), (acme_shop.FILE, ROLLOUT))
                    self.assertEqual((labelled["prompts"], bare["prompts"], report["total"]["prompts"]), (8, 2, 10))
                    self.assertIsNone(bare["reminders_expected"])
                    self.assertEqual(report["total"]["reminders_expected"], 3)

    def test_replay_asks_no_long_term_store_of_the_users(self):
        with ScriptedHttp(answers([])) as server:
            self.environment.update(MEMSIFT_COGNEE_URL=server.url, COGNEE_API_KEY="invented-key")
            code, output, errors = self.run_replay("--json", acme_shop.FILE)
        self.assertEqual((code, errors, server.requests), (0, "", []))

    def test_the_table(self):
        code, output, errors = self.run_replay(acme_shop.FILE)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("acme_shop.json", output)
        self.assertIn("recall on every prompt", output)
        self.assertTrue(all(len(line) <= 110 for line in output.splitlines()))

    def test_a_bad_file_is_named_before_anything_is_played(self):
        empty = os.path.join(self.folder, "empty.json")
        with open(empty, "w", encoding="utf-8"):
            pass
        for path, reason in ((empty, "the file is empty"), (os.path.join(self.folder, "none"), "No such file or directory"),
                             (self.project, "not a plain file"), (os.path.join(ROOT, "LICENSE"), "neither a labelled")):
            with self.subTest(path):
                code, output, errors = self.run_replay(acme_shop.FILE, path)
                self.assertEqual((code, output), (1, ""))
                self.assertTrue(errors.startswith("memsift: %s: %s" % (path, reason)), errors)
                self.assertEqual(errors.count("\n"), 1)

    def test_a_recording_that_nobody_typed_in_is_left_out(self):
        code, output, errors = self.run_replay("--json", SIDECHAIN, ROLLOUT)
        self.assertEqual(code, 0)
        self.assertIn("subagent-sidechain.jsonl: left out", errors)
        self.assertEqual([one["file"] for one in json.loads(output)["conversations"]], [ROLLOUT])
        code, output, errors = self.run_replay(SIDECHAIN)
        self.assertEqual((code, output), (1, ""))
        self.assertIn("there is nothing to play", errors)

    def test_wrong_usage(self):
        for arguments in ((), ("--sorter", "best", ROLLOUT), ("--memory", "all", ROLLOUT), ("--fast", ROLLOUT)):
            with self.subTest(arguments):
                code, output, errors = self.run_replay(*arguments)
                self.assertEqual((code, output), (2, ""))
                self.assertIn("usage: python3 -m memsift", errors)

    def test_the_users_thresholds_apply_and_a_bad_one_is_named_once(self):
        self.environment["MEMSIFT_KEEP_THRESHOLD"] = "1.0"
        self.environment["MEMSIFT_MAX_NOTES"] = "many"
        self.environment["MEMSIFT_SORTER"] = "off"  # the command line says what sorts
        code, output, errors = self.run_replay("--json", acme_shop.FILE)
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(output)["total"]["kept"]["kept"], 0)
        self.assertEqual(errors.count("MEMSIFT_MAX_NOTES"), 1)

    def test_the_users_memory_is_neither_read_nor_changed(self):
        mine = os.path.join(self.folder, "mine")
        os.mkdir(mine)
        self.environment["MEMSIFT_HOME"] = mine
        self.assertEqual(self.run_replay(acme_shop.FILE)[0], 0)
        self.assertEqual(os.listdir(mine), [])

    def test_files_of_one_project_are_played_oldest_first(self):
        def write(name, stamp, session):
            rows = [
                {"type": "user", "sessionId": session, "cwd": "/home/dev/acme-shop", "promptId": session + "-p",
                 "promptSource": "typed", "timestamp": stamp, "message": {"role": "user", "content":
                     "We decided against Redis: the host's plan has no memory for it, so sessions stay in Postgres."}},
                {"type": "assistant", "sessionId": session, "timestamp": stamp, "message": {
                    "role": "assistant", "content": [{"type": "text", "text": "Understood, sessions stay in Postgres."}]}},
            ]
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            return path
        self.environment["MEMSIFT_KEEP_THRESHOLD"] = "0.0001"
        late = write("late.jsonl", "2026-03-09T10:00:00Z", "b")
        early = write("early.jsonl", "2026-03-02T10:00:00Z", "a")
        report = json.loads(self.run_replay("--json", late, early)[1])
        self.assertEqual([(one["file"], one["kept"]["kept"]) for one in report["conversations"]], [(late, 0), (early, 1)])

    def test_an_interruption_ends_it_quietly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                files = sorted(os.listdir(os.path.join(ROOT, "tests", "conversations")))
                process = self.start(*[os.path.join(ROOT, "tests", "conversations", name) for name in files],
                                     preexec_fn=heed_interrupts)
                self.wait_for(lambda: os.listdir(self.temporary))
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, output, errors), (128 + number, "", ""))
                self.assertEqual(os.listdir(self.temporary), [])

    def test_a_closed_pipe_ends_it_quietly(self):
        process = self.start(acme_shop.FILE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 1)
