import json
import os
import subprocess
import sys
import time
import unittest

from tests.support import FIXTURES
from tests.support import ROOT
from tests.support import SCRIPTS
from tests.support import HomeTest

MOMENTS = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "PostToolUse": "tool",
           "PostToolUseFailure": "tool", "Stop": "answer", "StopFailure": "interrupt", "Interrupt": "interrupt",
           "SessionEnd": "session-end"}
HOSTS = tuple(SCRIPTS)


def manifest_commands(host):
    """(moment, command line, seconds) of every hook that a host is told to run."""
    with open(os.path.join(ROOT, "hooks", host + ".json"), encoding="utf-8") as file:
        hooks = json.load(file)["hooks"]
    for event, groups in hooks.items():
        for handler in (handler for group in groups for handler in group["hooks"]):
            yield event, handler["command"], handler["timeout"]


class BadInput(HomeTest):
    """Whatever comes in, a hook exits 0 and prints nothing or one JSON object (HomeTest.hook asserts that)."""

    def test_table(self):
        good = json.dumps(self.payload("claude-code", "UserPromptSubmit", prompt="which port?")).encode()
        rows = {
            "empty": b"", "half": good[:len(good) // 2], "list": b"[]", "text": b"hello", "number": b"3", "null": b"null",
            "nul": b"\0" * 100, "invalid UTF-8": good.replace(b"which", b"\xff\xfe\x9d"), "BOM": b"\xef\xbb\xbf" + good,
            "deep": b"[" * 100_000, "unknown fields": good[:-1] + b', "new": {"a": [1]}}',
            "huge number": b'{"session_id": 1' + b"0" * 10_000 + b"}",
        }
        for name, raw in rows.items():
            for host in HOSTS:
                with self.subTest(name, host=host):
                    self.hook(host, "prompt", raw)
        self.assertIn("ERROR hook prompt BadPayload: standard input is not JSON", self.log_text())

    def test_payload_of_another_event(self):
        for host in HOSTS:
            for moment in set(MOMENTS.values()):
                self.assertEqual(self.hook(host, moment, self.payload(host, "PreCompact")).stdout, b"")
        self.assertIn("got the event 'PreCompact'", self.log_text())

    def test_wrong_or_missing_argument(self):
        for host in HOSTS:
            for moment in ("", "no-such-moment", "--help", "../prompt"):
                self.assertEqual(self.hook(host, moment, self.payload(host, "UserPromptSubmit", prompt="x")).stdout, b"")

    def test_large_prompt_in_slow_pieces_is_read_whole(self):
        raw = json.dumps(self.payload("codex", "UserPromptSubmit", prompt="log line\n" * 600_000 + "END-OF-PASTE?")).encode()
        child = subprocess.Popen([sys.executable, "-I", "-S", "-X", "utf8", os.path.join(ROOT, "hooks", "codex.py"), "prompt"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, cwd=self.folder)
        for start in range(0, len(raw), 1 << 16):
            child.stdin.write(raw[start:start + (1 << 16)])
            child.stdin.flush()
            time.sleep(0.001)
        child.stdin.close()
        self.assertEqual(child.stdout.read(), b"")
        child.stdout.close()
        self.assertEqual(child.wait(60), 0)
        with open(self.home.session("3a4003bc-9149-43d7-8a5a-71699cc4a209"), encoding="utf-8") as file:
            self.assertTrue(json.load(file)["open"][0]["text"].endswith("END-OF-PASTE?"))

    def test_closed_output_is_no_error(self):
        raw = json.dumps(self.payload("codex", "SessionStart", source="startup")).encode()
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([sys.executable, "-I", "-S", os.path.join(ROOT, "hooks", "codex.py"), "session-start"],
                              input=raw, stdout=writing, stderr=subprocess.PIPE, env=dict(self.environment, HOME="/no"), check=False)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class BadPlaces(HomeTest):
    def everything(self, environment):
        """All moments of a short session with this environment."""
        self.hook("claude-code", "session-start", self.payload("claude-code", "SessionStart", source="startup"), environment)
        self.hook("claude-code", "prompt", self.payload("claude-code", "UserPromptSubmit", prompt="We use port 8443."), environment)
        self.hook("claude-code", "answer", self.payload("claude-code", "Stop", last_assistant_message="Noted."), environment)
        self.hook("claude-code", "session-end", self.payload("claude-code", "SessionEnd", reason="other"), environment)

    def test_home_missing_empty_relative_or_gone(self):
        for changed in ({"HOME": None}, {"HOME": ""}, {"HOME": "relative"}, {"HOME": "/nonexistent/home"},
                        {"MEMSIFT_HOME": "relative"}):
            environment = dict(self.environment, **changed)
            environment = {name: value for name, value in environment.items() if value is not None}
            with self.subTest(changed):
                self.everything(environment)
        self.assertEqual(sorted(os.listdir(self.folder)), ["acme-shop", "home"])
        self.assertEqual(os.listdir(self.user_home), [])

    def test_user_is_told_once_at_the_start_that_nothing_is_remembered(self):
        start = self.payload("claude-code", "SessionStart", source="startup")
        with open(self.memsift_home, "w", encoding="utf-8"):
            pass  # a file where the folder belongs
        for environment in (self.environment, dict(self.environment, HOME="/nonexistent")):
            message = json.loads(self.hook("claude-code", "session-start", start, environment).stdout)["systemMessage"]
            self.assertIn("memsift remembers nothing now", message)
        self.assertEqual(self.hook("claude-code", "prompt", self.payload("claude-code", "UserPromptSubmit", prompt="x")).stdout, b"")

    def test_turn_survives_a_home_that_cannot_be_written(self):
        with open(self.memsift_home, "w", encoding="utf-8"):
            pass
        stop = self.payload("claude-code", "Stop", last_assistant_message="Noted: port 8443.")
        self.hook("claude-code", "answer", stop)
        os.unlink(self.memsift_home)
        kept = [name for base, _, names in os.walk(os.path.join(self.folder, "memsift-%d" % os.getuid())) for name in names]
        self.assertEqual(len(kept), 1)

    def test_full_disk(self):
        """Every write fails; the hooks pass all the same, and work again when there is space."""
        payloads = [("session-start", "SessionStart", {"source": "startup"}), ("prompt", "UserPromptSubmit", {"prompt": "We use port 8443."}),
                    ("answer", "Stop", {"last_assistant_message": "Noted."})]
        for limit in ("0", "unlimited"):
            for moment, event, fields in payloads:
                line = "ulimit -f %s; exec %s -I -S -X utf8 %s/hooks/claude_code.py %s" % (limit, sys.executable, ROOT, moment)
                done = subprocess.run(["/bin/sh", "-c", line], input=json.dumps(self.payload("claude-code", event, **fields)).encode(),
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(bool(done.stdout), limit == "0" and moment == "session-start")
        leftovers = [name for base, _, names in os.walk(self.folder) for name in names if name.endswith(".tmp")]
        self.assertEqual(leftovers, [])

    def test_input_that_never_ends_is_given_up_in_time(self):
        child = subprocess.Popen([sys.executable, "-I", "-S", os.path.join(ROOT, "hooks", "codex.py"), "session-end"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment)
        self.assertEqual(child.wait(30), 0)
        self.assertEqual(child.stdout.read(), b"")
        child.stdin.close()
        child.stdout.close()
        self.assertIn("ERROR hook session-end DeadlinePassed", self.log_text())

    def test_broken_state_file(self):
        self.everything(self.environment)
        path = self.home.session("3a4003bc-9149-43d7-8a5a-71699cc4a209")
        for content in (b"", b"\0\0", b"{", b"[]", b"\xff\xfe"):
            with open(path, "wb") as file:
                file.write(content)
            self.everything(self.environment)

    def test_no_project_no_memory(self):
        for folder in ("/", self.user_home, "", "/no/such/folder"):
            payload = dict(self.payload("codex", "Stop", last_assistant_message="x"), cwd=folder, session_id="s" + str(len(folder)))
            self.hook("codex", "answer", payload)
        self.assertFalse(os.path.exists(os.path.join(self.memsift_home, "repos")))


class SwitchedOff(HomeTest):
    def test_nothing_is_added_and_nothing_is_written(self):
        environment = dict(self.environment, MEMSIFT_SORTER="off")
        for host in HOSTS:
            self.assertEqual(self.hook(host, "prompt", self.payload(host, "UserPromptSubmit", prompt="x"), environment).stdout, b"")
            self.hook(host, "answer", self.payload(host, "Stop", last_assistant_message="x"), environment)
        self.assertFalse(os.path.exists(self.memsift_home))


class Recursion(HomeTest):
    """A model call that memsift makes itself never starts memsift again."""

    def test_by_the_variable(self):
        environment = dict(self.environment, MEMSIFT_INSIDE="1")
        self.hook("claude-code", "answer", self.payload("claude-code", "Stop", last_assistant_message="x"), environment)
        self.assertFalse(os.path.exists(self.memsift_home))

    def test_by_the_folder_when_the_environment_was_not_passed_on(self):
        inside = os.path.join(self.memsift_home, "calls")
        os.makedirs(inside)
        for folder in (inside, self.memsift_home):
            payload = dict(self.payload("claude-code", "Stop", last_assistant_message="x"), cwd=folder)
            self.hook("claude-code", "answer", payload)
        self.assertEqual(set(os.listdir(self.memsift_home)) - {"cache"}, {"calls"})


class Manifests(HomeTest):
    def run_line(self, command, root, payload=b"", path=None):
        environment = dict(self.environment, PATH=path or self.environment["PATH"], PLUGIN_ROOT=root, CLAUDE_PLUGIN_ROOT=root)
        return subprocess.run(["/bin/sh", "-c", command], input=payload, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment, cwd=self.folder, timeout=60, check=False)

    def test_every_timeout_is_whole_seconds_above_the_moments_own(self):
        from memsift import moments
        for host in HOSTS:
            for event, _, timeout in manifest_commands(host):
                self.assertIsInstance(timeout, int)
                self.assertTrue(moments.SECONDS[MOMENTS[event]] < timeout <= 60, (host, event))
        # Codex allows these two 3 seconds at most, Claude Code a session's end 1.5 in all.
        self.assertTrue(all(timeout <= 3 for event, _, timeout in manifest_commands("codex") if event in ("Interrupt", "SessionEnd")))
        self.assertLess(moments.SECONDS["session-end"], 1.5)

    def test_every_command_names_a_script_and_a_moment_that_exist(self):
        for host in HOSTS:
            for event, command, _ in manifest_commands(host):
                self.assertIn("hooks/%s\" %s || exit 0" % (SCRIPTS[host], MOMENTS[event]), command)

    def test_plugin_path_with_spaces_and_quotes(self):
        odd = os.path.join(self.folder, "My \"odd\" $HOME `id` (x86) 'x' \u00e9")
        os.symlink(ROOT, odd)
        for host in HOSTS:
            for event, command, _ in manifest_commands(host):
                payload = json.dumps(self.payload(host, event, source="startup", prompt="We use port 8443.")).encode()
                done = self.run_line(command, odd, payload)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""), (command, self.log_text()))
        self.assertNotIn("ERROR", self.log_text())
        self.assertTrue(self.repository())

    def test_deleted_plugin_folder_never_blocks(self):
        for host in HOSTS:
            for event, command, _ in manifest_commands(host):
                done = self.run_line(command, os.path.join(self.folder, "gone"))
                self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_missing_or_foreign_python_never_blocks(self):
        empty = os.path.join(self.folder, "empty")
        stub = os.path.join(self.folder, "stub")
        for folder in (empty, stub):
            os.mkdir(folder)
        with open(os.path.join(stub, "python3"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho called >> \"$TMPDIR/calls\"\nexit 49\n")
        os.chmod(os.path.join(stub, "python3"), 0o755)
        for host in HOSTS:
            for _, command, _ in manifest_commands(host):
                for path in (empty, stub):
                    done = self.run_line(command, ROOT, path=path)
                    self.assertEqual((done.returncode, done.stdout), (0, b""))
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as file:
            calls = file.read().count("called")
        self.assertEqual(calls, sum(1 for host in HOSTS for _ in manifest_commands(host)))  # never run twice

    def test_captured_payloads_through_the_real_command_lines(self):
        """Every payload that was captured from the real hosts, whole and mangled."""
        for host in HOSTS:
            commands = {event: command for event, command, _ in manifest_commands(host)}
            folder = os.path.join(FIXTURES, host, "hooks")
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), "rb") as file:
                    raw = file.read()
                event = json.loads(raw).get("hook_event_name", "")
                command = commands.get(event, commands["UserPromptSubmit"])
                mangled = (raw, raw[:len(raw) // 3], raw.replace(b'"session_id"', b'"sid"'), raw.replace(b"e", b"\xff"))
                for payload in mangled[:4 if event in commands else 1]:
                    done = self.run_line(command, ROOT, payload)
                    self.assertEqual((done.returncode, done.stderr), (0, b""), name)
                    if done.stdout:
                        json.loads(done.stdout)


class HotPath(HomeTest):
    """What a hook that ends early loads is part of its design."""

    def loaded(self, moment, payload):
        code = ("import sys; sys.path.insert(0, %r); from memsift import hook; hook.os._exit = lambda code: None; "
                "hook.main('claude-code', [%r]); sys.stderr.write(' '.join(sys.modules))" % (ROOT, moment))
        done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", code], input=json.dumps(payload).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, check=True)
        return set(done.stderr.decode().split())

    def test_skipped_prompt_and_tool_that_changes_nothing(self):
        heavy = {"sqlite3", "subprocess", "hashlib", "logging", "argparse", "typing", "dataclasses", "inspect", "socket",
                 "ssl", "urllib.request", "http.client", "memsift.archive.archive", "memsift.sorters.local", "memsift.terms",
                 "memsift.moments.prompt", "memsift.notes", "traceback", "tempfile", "pathlib", "datetime"}
        skipped = self.payload("claude-code", "UserPromptSubmit", prompt="/compact")
        self.assertEqual(self.loaded("prompt", skipped) & heavy, set())
        read = self.payload("claude-code", "PostToolUse", tool_name="Read", tool_input={"file_path": "x"})
        self.assertEqual(self.loaded("tool", read) & heavy, set())

    def test_answer_does_not_load_what_its_worker_needs(self):
        stop = self.payload("claude-code", "Stop", last_assistant_message="x")
        heavy = {"sqlite3", "subprocess", "memsift.archive.archive", "memsift.sorters.local", "memsift.terms", "memsift.worker"}
        self.assertEqual(self.loaded("answer", stop) & heavy, set())


if __name__ == "__main__":
    unittest.main()
