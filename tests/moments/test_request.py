"""Doctor and resume typed as a prompt: the real hook scripts answer, in either host."""

import json
import os
import threading
import unittest

from memsift import notes
from memsift import pending
from memsift import project
from memsift.remote.pauses import Pauses
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import after
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_http import hang
from tests.scripted_judge import ScriptedJudge
from tests.support import HomeTest

WELL = computed(ScriptedJudge(turn="nothing"))
FORMS = {"claude-code": ("/memsift-%s", "/memsift:memsift-%s"), "codex": ("$memsift-%s", "$memsift:memsift-%s")}


class RequestTest(HomeTest):
    def ask(self, host, prompt, **environment):
        done = self.hook(host, "prompt", self.payload(host, "UserPromptSubmit", prompt=prompt,
                                                      transcript_path=self.record(host)),
                         dict(self.environment, **environment))
        printed = json.loads(done.stdout)
        return printed["hookSpecificOutput"]["additionalContext"], printed["systemMessage"]

    def record(self, host, originator="codex-tui"):
        path = os.path.join(self.folder, "rollout.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"type":"session_meta","payload":{"originator":"%s"}}\n' % originator)
        return path

    def serve(self, *script):
        server = ScriptedHttp(*script)
        server.__enter__()
        self.addCleanup(server.__exit__)
        self.environment.update(MEMSIFT_JEV_URL=server.url, MEMSIFT_JEV_KEY="invented")
        return server

    def wait_in(self, name, count):
        for number in range(count):
            pending.append(self.home, name, {
                "id": "s1/t%d" % number, "session": "s1", "turn": "t%d" % number, "host": "claude-code", "date": "2026-11-30",
                "end": "answered", "again": False, "prompts": ["Carts expire."], "answer": "Noted.", "changes": [], "transcript": ""})


class Doctor(RequestTest):
    def test_report_for_the_user_and_for_the_agent(self):
        for host, forms in FORMS.items():
            for form in forms:
                with self.subTest(form):
                    context, message = self.ask(host, form % "doctor", CLAUDE_CODE_ENTRYPOINT="cli")
                    self.assertTrue(message.startswith("memsift doctor: "), message)
                    self.assertIn("has no card", message)
                    self.assertTrue(context.startswith("memsift: the report of memsift's doctor, "), context)
                    self.assertIn("do not repeat it", context)
                    self.assertIn(message, context)
                    self.assertLess(len(context), 10_000)

    def test_where_nobody_sees_the_message_the_agent_passes_the_report_on(self):
        context, _ = self.ask("claude-code", "/memsift-doctor", CLAUDE_CODE_ENTRYPOINT="sdk-cli")
        self.assertIn("word for word", context)
        payload = self.payload("codex", "UserPromptSubmit", prompt="$memsift-doctor",
                               transcript_path=self.record("codex", "codex_exec"))
        self.assertIn("word for word", self.hook("codex", "prompt", payload).stdout.decode())

    def test_it_is_no_turn(self):
        server = self.serve(WELL)
        self.ask("claude-code", "/memsift-doctor")
        self.hook("claude-code", "answer",
                  self.payload("claude-code", "Stop", last_assistant_message="memsift doctor: all is well."))
        name = project.identify(self.project, self.user_home).name
        self.assertEqual((pending.read(self.home, name), notes.load(self.home, name)), ([], []))
        self.assertEqual(len(server.requests), 1)  # doctor's own

    def test_services_that_never_answer_leave_the_hook_within_its_time(self):
        self.serve(hang)
        self.environment["MEMSIFT_COGNEE_URL"] = "http://127.0.0.1:9"
        import time
        started = time.monotonic()
        _, message = self.ask("codex", "$memsift-doctor")
        self.assertLess(time.monotonic() - started, 15.5)
        self.assertIn("Jev (the judge) gives no usable answer", message)

    def test_it_works_where_memory_is_off_or_has_no_home(self):
        _, message = self.ask("claude-code", "/memsift-doctor", MEMSIFT_SORTER="off")
        self.assertIn("MEMSIFT_SORTER is off (environment)", message)
        done = self.hook("claude-code", "prompt", self.payload("claude-code", "UserPromptSubmit",
                                                               prompt="/memsift-doctor"),
                         dict(self.environment, HOME="/nonexistent"))
        self.assertIn("set HOME or MEMSIFT_HOME", json.loads(done.stdout)["systemMessage"])


class Resume(RequestTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.memsift_home)
        self.name = project.identify(self.project, self.user_home).name

    def test_pause_is_lifted_and_turns_are_sorted(self):
        for host, forms in FORMS.items():
            with self.subTest(host):
                self.serve(WELL)
                Pauses(self.home.state).failed("jev", 401, "bad key")
                self.wait_in(self.name, 3)
                _, message = self.ask(host, forms[0] % "resume")
                self.assertIn("Jev answers and is called again.", message)
                self.assertIn("3 turns of %s sorted" % self.name, message)
                self.assertIsNone(Pauses(self.home.state).of("jev"))
                self.assertEqual(pending.read(self.home, self.name), [])

    def test_service_that_still_fails(self):
        self.serve(answers({"error": "no"}, "401 Unauthorized"))
        Pauses(self.home.state).failed("jev", 401, "bad key")
        self.wait_in(self.name, 1)
        _, message = self.ask("codex", "$memsift-resume")
        self.assertIn("Jev does not answer: status=401", message)
        self.assertIsNotNone(Pauses(self.home.state).of("jev"))
        self.assertEqual(len(pending.read(self.home, self.name)), 1)

    def test_state_that_cannot_be_read_is_told(self):
        self.serve(WELL)
        os.mkdir(self.home.state)
        _, message = self.ask("codex", "$memsift-resume")
        self.assertIn("Nothing was resumed: ", message)
        self.assertIn("state.json", message)

    def test_long_work_goes_on_in_the_background_and_is_said_so(self):
        told = threading.Event()
        self.serve(WELL, *[after(0.4, WELL)] * 5, lambda *asked: told.wait(60) and WELL(*asked))
        self.wait_in(self.name, 12)
        _, message = self.ask("claude-code", "/memsift-resume")
        self.assertIn("goes on in the background (sorted ", message)
        self.assertIn("memsift status", message)
        told.set()
        self.wait_for(lambda: not pending.read(self.home, self.name), seconds=60)


if __name__ == "__main__":
    unittest.main()
