"""Real hooks and real workers against a scripted judge on loopback: what it is sent, and what it may cost."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

from memsift import notes
from memsift import pending
from memsift import project
from memsift import worker
from memsift.entry import Entry
from tests import processes
from tests import scripted_http
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge
from tests.support import ROOT
from tests.support import SCRIPTS
from tests.support import HomeTest

FACT = "We go with PayCo for payments, its fees are lower for small carts."
QUESTION = "Which payment provider did we choose, and why?"
KEY = "sk-or-" + "v1-" + "51c0ffee" * 8  # invented, and put together so that no scanner takes it for a real one
BUSY_MACHINE = 3.5  # seconds for a whole process that waits 2.0 for the judge
WELL = computed(ScriptedJudge({FACT: 0.93}))


def refusing(status, text="no", headers=()):
    return answers({"error": {"code": int(status[:3]), "message": text}}, status, headers)


def closed_port():
    """An address that refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return "http://127.0.0.1:%d/v1/systemone" % taken.getsockname()[1]


class JevHooksTest(HomeTest):
    notes = 60

    def setUp(self):
        super().setUp()
        self.name = project.identify(self.project, self.user_home).name
        made = [Entry("k%d" % number, "2026-11-%02d" % (number % 28 + 1), "The mail service reads part %d first." % number)
                for number in range(self.notes)]
        notes.append(self.home, self.name, made[1:] + [Entry("kpay", "2026-11-01", FACT, turn="s0/pay")])
        self.sessions = 0

    def serve(self, *script):
        server = ScriptedHttp(*script)
        server.__enter__()
        self.addCleanup(server.__exit__)
        self.use(server.url)
        return server

    def use(self, url):
        self.environment.update(MEMSIFT_JEV_URL=url, MEMSIFT_JEV_KEY=KEY, MEMSIFT_DEBUG="1")

    def ask(self, prompt=QUESTION, host="claude-code", session="", **fields):
        """A prompt, in a new session unless one is named; (what is added, what the user is told, seconds)."""
        self.sessions += 1
        session = session or "s%d" % self.sessions
        payload = self.payload(host, "UserPromptSubmit", prompt=prompt, session_id=session, turn="t%d" % self.sessions, **fields)
        started = time.monotonic()
        done = self.hook(host, "prompt", payload)
        seconds = time.monotonic() - started
        told = json.loads(done.stdout).get("systemMessage", "") if done.stdout else ""
        return (self.added(done) if b"additionalContext" in done.stdout else ""), told, seconds

    def end_turn(self, answer="Noted.", session="s1", turn="t1"):
        payload = self.payload("claude-code", "Stop", last_assistant_message=answer, session_id=session, turn=turn)
        self.hook("claude-code", "answer", payload)

    def decisions(self, area):
        return [json.loads(found) for found in re.findall(r" DECISION %s (\{.*\})$" % area, self.log_text(), re.MULTILINE)]

    def state(self):
        with open(self.home.state, encoding="utf-8") as file:
            return json.load(file)["services"]["jev"]

    def forget_failures(self):
        if os.path.exists(self.home.state):
            os.unlink(self.home.state)

    def settle(self):
        """Until no worker of this test runs."""
        self.wait_for(lambda: not processes.bearing(self.folder))


class Answering(JevHooksTest):
    def test_prompt_with_sixty_notes_is_one_request(self):
        for host in SCRIPTS:
            with self.subTest(host):
                server = self.serve(WELL)
                added, told, _ = self.ask(host=host)
                self.assertIn("- [kpay] 2026-11-01: " + FACT, added)
                self.assertEqual((added.count("\n- ["), told, server.connections, len(server.requests)), (1, "", 1, 1))
                request, = server.requests
                self.assertEqual(request.headers["authorization"], "Bearer " + KEY)
                body = request.json()
                self.assertEqual((body["model"], body["state"]["prompt"]), ("typesafe/jev-1.13", QUESTION))
                self.assertEqual(len(body["questions"]), 62)
                self.assertNotIn(FACT, json.dumps(body["state"]))
                self.assertNotIn("provider", body)
                decision = self.decisions("core-prompt")[-1]
                self.assertEqual((decision["sorter"], decision["added"]), ("jev", ["kpay"]))
                tokens = self.decisions("jev-tokens")[-1]
                self.assertEqual((set(tokens), tokens["input_tokens"]), ({"estimated_tokens", "input_tokens"}, 476))
                self.assertGreater(tokens["estimated_tokens"], 1000)
        self.assertNotIn("ERROR", self.log_text())

    def test_settings_of_the_request(self):
        server = self.serve(WELL)
        self.environment.update(MEMSIFT_JEV_KEY="", MEMSIFT_JEV_MODEL="nimble", MEMSIFT_JEV_DENY_COLLECTION="1")
        self.ask()
        request, = server.requests
        self.assertNotIn("authorization", request.headers)
        self.assertEqual((request.json()["model"], request.json()["provider"]), ("nimble", {"data_collection": "deny"}))

    def test_settings_in_the_file_count_as_well(self):
        server = self.serve(WELL)
        os.mkdir(os.path.join(self.user_home, ".cognee"))
        with open(os.path.join(self.user_home, ".cognee", ".env"), "w", encoding="utf-8") as file:
            file.write("MEMSIFT_JEV_URL=%s\nexport MEMSIFT_JEV_KEY='%s'\n" % (server.url, KEY))
        for name in ("MEMSIFT_JEV_URL", "MEMSIFT_JEV_KEY"):
            del self.environment[name]
        self.assertIn(FACT, self.ask()[0])
        self.assertEqual(server.requests[0].headers["authorization"], "Bearer " + KEY)

    def test_kind_that_needs_nothing_and_notes_that_do_not_answer_add_nothing(self):
        for judge in (ScriptedJudge({FACT: 0.93}, kind="reaction"), ScriptedJudge({FACT: 0.63})):
            self.serve(computed(judge))
            self.assertEqual(self.ask()[:2], ("", ""))
        self.assertEqual([decision["sorter"] for decision in self.decisions("core-prompt")], ["jev", "jev"])

    def test_local_sorter_and_what_is_no_prompt_send_nothing(self):
        server = self.serve(WELL)
        self.ask("/compact")
        self.ask("<task-notification>done")
        for sorter in ("local", "off"):
            self.environment["MEMSIFT_SORTER"] = sorter
            self.ask()
        self.assertEqual(server.requests, [])

    def test_secrets_in_prompt_conversation_and_notes_are_not_sent(self):
        server = self.serve(WELL)
        secrets = ["gh" + "p_" + letter + "k3mQ9xT7vB2nL5wR8cY1dF6hJ4pS0aGuE2i" for letter in "ABC"]
        path = os.path.join(self.folder, "session.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "uuid": "1", "promptId": "p", "promptSource": "typed",
                                   "message": {"content": "The deploy token is %s." % secrets[0]}}) + "\n")
        with open(self.home.draft(self.name), "a", encoding="utf-8") as file:
            file.write("- The mirror is pulled with %s.\n" % secrets[1])
        self.ask("%s And is %s still valid?" % (QUESTION, secrets[2]), transcript_path=path)
        body = server.requests[0].body.decode()
        self.assertIn("The deploy token is", body)
        self.assertIn("The mirror is pulled with", body)
        self.assertEqual([secret for secret in secrets if secret in body], [])

    def test_megabyte_prompt(self):
        server = self.serve(WELL)
        added, _, _ = self.ask("2026-11-30 ERROR worker: connection refused\n" * 23_000 + QUESTION)
        self.assertIn(FACT, added)
        self.assertLess(len(server.requests[0].body), 110_000)
        self.assertTrue(server.requests[0].json()["state"]["prompt"].endswith(QUESTION))


class Failing(JevHooksTest):
    """The prompt goes on with the embedded sorter, after two seconds at the most."""

    acts = {
        "sends a byte a second": scripted_http.trickle(scripted_http.message(b"x" * 100)),
        "sends a byte a second after the head": lambda connection, request: (
            connection.send(scripted_http.message(b"", headers=[("Content-Length", "900")], length=False)),
            scripted_http.trickle(b"x" * 900)(connection, request)),
        "sends 100 MB": scripted_http.flood(100_000_000),
        "sends 100 MB without saying so": scripted_http.flood(100_000_000, length=False),
        "closes mid-answer": scripted_http.cut(ScriptedJudge()({"questions": {}})),
        "closes at once": scripted_http.raw(b""),
        "sends garbage": scripted_http.raw(b"\x00\xff\x16\x03garbage\r\n\r\n" * 50),
        "sends a page": scripted_http.raw(scripted_http.message(b"<html>502 Bad Gateway</html>", "502 Bad Gateway")),
        "answers with an error in a success": answers({"error": {"code": 502, "message": "provider"}}),
        "answers nothing": answers({"answers": {}}),
        "answers nonsense": computed(lambda body: {"answers": {id: {"type": "noul", "noul": "NaN"} for id in body["questions"]}}),
    }

    def check(self, name):
        added, _, seconds = self.ask()
        self.assertLess(seconds, BUSY_MACHINE, name)
        self.assertIn(FACT, added, name)
        self.assertEqual(self.decisions("core-prompt")[-1]["sorter"], "local")

    def test_every_sort_of_bad_server(self):
        for name, act in self.acts.items():
            with self.subTest(name):
                server = self.serve(act)
                self.check(name)
                self.assertEqual(len(server.requests), 1)
                self.assertRegex(self.log_text().splitlines()[-2], r"ERROR core-prompt jev status=\d+ duration=\d+\.\d{3} \w")
                self.forget_failures()

    def test_no_server_at_all(self):
        self.use(closed_port())
        self.check("refuses")
        self.assertIn("ERROR core-prompt jev status=0 duration=0.", self.log_text())

    def test_time_out_is_logged_with_its_duration(self):
        self.serve(scripted_http.hang)
        self.check("hangs")
        found = re.search(r"ERROR core-prompt jev status=0 duration=(\d\.\d{3}) .*within 2\.0 s", self.log_text())
        self.assertTrue(0.1 < float(found.group(1)) < 2.5, found.group())  # less what the start took

    def test_without_the_fallback_nothing_is_added(self):
        self.serve(refusing("500 Oops"))
        self.environment["MEMSIFT_FALLBACK"] = "0"
        self.assertEqual(self.ask()[:2], ("", ""))
        self.assertEqual(self.decisions("core-prompt")[-1]["sorter"], "none")

    def test_redirect_sends_nothing_elsewhere(self):
        elsewhere = self.serve(WELL)
        for status in ("301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"):
            self.serve(scripted_http.redirect(elsewhere.url, status))
            self.check(status)
            self.forget_failures()
        self.assertEqual((elsewhere.connections, elsewhere.requests), (0, []))


class Pausing(JevHooksTest):
    def test_three_failures_pause_and_a_paused_service_is_not_called(self):
        server = self.serve(refusing("500 Oops", "out of order"))
        told = [self.ask()[1] for _ in range(4)]
        self.assertEqual([bool(text) for text in told], [False, False, True, True])
        self.assertIn("out of order", told[2])
        self.assertEqual(len(server.requests), 3)

    def test_refused_key_pauses_at_once_and_its_echo_is_not_repeated(self):
        for status in ("401 Unauthorized", "403 Forbidden"):
            with self.subTest(status):
                self.serve(refusing(status, "The key %s is not known" % KEY))
                added, told, _ = self.ask()
                self.assertIn("is not known", told)
                self.assertIn(FACT, added)
                self.assertNotIn(KEY, added + told)
                self.forget_failures()

    def test_being_told_to_slow_down_neither_counts_nor_resets(self):
        slow = refusing("429 Too Many", headers=[("Retry-After", "1")])
        full, broken = refusing("529 Overloaded"), refusing("500 Oops")
        server = self.serve(slow, full, slow, slow, broken, slow, broken, full, broken)
        told = [self.ask()[1] for _ in range(9)]
        self.assertEqual([bool(text) for text in told], [False] * 8 + [True])
        self.assertEqual(len(server.requests), 9)

    def test_ten_hooks_at_once_count_right(self):
        gathered = threading.Event()

        def act(connection, request):
            if len(connection.server.requests) == 10:
                gathered.set()
            gathered.wait(1.0)
            refusing("500 Oops")(connection, request)
        server = self.serve(act)
        os.makedirs(os.path.join(self.memsift_home, "cache"), exist_ok=True)
        running = []
        for number in range(10):
            payload = self.payload("codex", "UserPromptSubmit", prompt=QUESTION, session_id="at-once-%d" % number)
            command = [sys.executable, "-I", "-S", "-X", "utf8", os.path.join(ROOT, "hooks", "codex.py"), "prompt"]
            running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment))
            running[-1].stdin.write(json.dumps(payload).encode())
            running[-1].stdin.close()
        printed = []
        for child in running:
            printed.append(child.stdout.read())
            child.stdout.close()
            self.assertEqual(child.wait(60), 0)
        self.assertTrue(all(FACT.encode() in output for output in printed))
        counted = self.state()["failures"]
        self.assertTrue(len(server.requests) <= counted <= 10, counted)  # one may give up before its request arrives
        self.assertEqual(self.state()["outages"], 1)
        self.assertGreaterEqual(len(server.requests), 3)
        self.assertNotIn("not counted", self.log_text())


class Told(JevHooksTest):
    def told(self, session, host="claude-code", prompt=QUESTION):
        added, message, _ = self.ask(session=session, host=host, prompt=prompt)
        self.assertEqual("please pass it on" in added, bool(message))
        return bool(message)

    def test_once_in_each_session_and_again_after_a_resume_and_a_new_outage(self):
        server = self.serve(refusing("401 Unauthorized"))
        self.assertEqual([self.told("s1"), self.told("s1"), self.told("c1", "codex"), self.told("c1", "codex")],
                         [True, False, True, False])
        server.script[:] = [WELL]
        self.resume()
        self.assertEqual([self.told("s1"), self.told("c1", "codex")], [False, False])
        server.script[:] = [refusing("403 Forbidden")]
        self.assertEqual([self.told("s1"), self.told("s1"), self.told("c1", "codex")], [True, False, True])

    def resume(self):
        done = subprocess.run([sys.executable, "-B", "-m", "memsift", "resume"], cwd=self.project, stdout=subprocess.PIPE,
                              env=dict(self.environment, PYTHONPATH=ROOT), timeout=60, check=True)
        self.assertIn(b"is called again", done.stdout)

    def test_also_where_nothing_is_added_and_never_with_the_local_sorter(self):
        self.serve(refusing("401 Unauthorized", "bad key"))
        added, message, _ = self.ask("ok, go ahead", session="s1")
        self.assertTrue(added.startswith("memsift: ") and "- [" not in added, added)
        self.assertIn("bad key", message)
        self.environment["MEMSIFT_FALLBACK"] = "0"
        self.assertTrue(self.told("s2"))
        self.environment["MEMSIFT_SORTER"] = "local"
        self.assertFalse(self.told("s3"))

    def test_message_stands_before_the_notes_and_apart_from_them(self):
        self.serve(refusing("401 Unauthorized", "bad key"))
        added, message, _ = self.ask()
        told, notes_added = added.split("\n\n")
        self.assertIn(message, told)
        self.assertTrue(notes_added.startswith("memsift: project notes"))
        self.assertNotIn("\n", message)


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc to see when a worker has ended")
class Waiting(JevHooksTest):
    notes = 1

    def setUp(self):
        super().setUp()
        os.unlink(self.home.draft(self.name))

    def kept(self):
        return [note.text for note in notes.load(self.home, self.name)]

    def take_turn(self):
        self.ask(FACT, session="s1")
        self.end_turn(turn="t%d" % self.sessions)
        self.settle()

    def test_turn_is_sorted_by_the_judge(self):
        server = self.serve(computed(ScriptedJudge({FACT: 0.9})))
        self.take_turn()
        self.assertEqual(self.kept(), [FACT])
        self.assertEqual(self.decisions("core-turn")[-1]["sorter"], "jev")
        self.assertEqual(len(server.requests), 2)

    def test_turn_waits_while_the_judge_is_down_and_is_sorted_exactly_once(self):
        for bad in (refusing("401 Unauthorized"), refusing("429 Too Many"), scripted_http.raw(b"")):
            server = self.serve(bad)
            self.take_turn()
            self.assertEqual((len(pending.read(self.home, self.name)), self.kept()), (1, []))
            self.assertIn("ERROR core-turn turns wait: ", self.log_text())
            server.script[:] = [computed(ScriptedJudge({FACT: 0.9}))]
            done = subprocess.run([sys.executable, "-B", "-m", "memsift", "resume"], cwd=self.project, stdout=subprocess.PIPE,
                                  env=dict(self.environment, PYTHONPATH=ROOT), timeout=60, check=True)
            self.assertIn(b"1 turn of %s sorted" % self.name.encode(), done.stdout)
            self.assertEqual((pending.read(self.home, self.name), self.kept()), ([], [FACT]))
            worker.work(self.name, self.runtime())
            self.assertEqual(self.kept(), [FACT])
            os.unlink(self.home.draft(self.name))
            self.forget_failures()

    def test_prompt_and_worker_go_through_the_proxy_that_is_set(self):
        proxy = self.serve(computed(ScriptedJudge({FACT: 0.9})))
        self.environment.update(http_proxy="http://127.0.0.1:%d" % proxy.port, NO_PROXY="acme-shop.test",
                                MEMSIFT_JEV_URL="http://judge.acme-shop.example/v1/systemone")
        self.take_turn()
        self.assertEqual([request.line for request in proxy.requests],
                         ["POST http://judge.acme-shop.example/v1/systemone HTTP/1.1"] * 2)
        self.assertEqual(self.kept(), [FACT])

    def test_turn_that_the_judge_will_never_take_is_judged_here(self):
        self.serve(refusing("413 Too Large"))
        self.environment["MEMSIFT_KEEP_THRESHOLD"] = "0.0001"
        self.take_turn()
        self.assertEqual(self.kept(), [FACT])
        self.assertEqual(self.decisions("core-turn")[-1]["sorter"], "local")


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc to see other processes")
class Key(JevHooksTest):
    def test_key_is_nowhere_but_in_its_header(self):
        self.seen = set()
        judge = computed(ScriptedJudge({FACT: 0.93}))

        def act(connection, request):
            self.look_around()
            judge(connection, request)
        server = self.serve(act)
        self.environment.update(MEMSIFT_RECORD="1", ANTHROPIC_API_KEY="x")
        self.hook("claude-code", "session-start", self.payload("claude-code", "SessionStart", source="startup", session_id="s1"))
        self.ask(session="s1")
        self.hook("claude-code", "tool", self.payload("claude-code", "PostToolUse", session_id="s1", turn="t1", tool_name="Bash",
                                                      tool_input={"command": "make"}))
        self.end_turn()
        self.hook("claude-code", "session-end", self.payload("claude-code", "SessionEnd", reason="other", session_id="s1"))
        self.settle()
        server.script[:] = [refusing("500 Oops", "%s is a funny key" % KEY)]
        self.ask(session="s1")
        self.assertGreaterEqual(len(server.requests), 3)
        self.assertTrue(all(request.headers["authorization"] == "Bearer " + KEY for request in server.requests))
        self.assertFalse([request for request in server.requests if KEY in request.line or KEY.encode() in request.body])
        self.assertEqual(self.holding(KEY), [])
        self.assertEqual(self.seen, {"claude_code.py", "worker.py"})
        self.assertTrue(os.path.getsize(self.home.recordings))

    def look_around(self):
        """No running process has the key in its arguments, and only hooks and workers in their environment."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    command = file.read()
                with open("/proc/%s/environ" % pid, "rb") as file:
                    has_key = KEY.encode() in file.read()
            except OSError:
                continue
            if KEY.encode() in command:
                self.seen.add("an argument of %r" % command)
            if has_key:
                scripts = [part for part in command.decode().split("\0") if part.startswith(os.path.join(ROOT, "hooks"))]
                self.seen.add(os.path.basename(scripts[0]) if scripts else repr(command))

    def holding(self, text):
        """The files below the test's folder that hold the text."""
        found = []
        for base, _, names in os.walk(self.folder):
            for path in (os.path.join(base, name) for name in names):
                with open(path, "rb") as file:
                    if text.encode() in file.read() or text in path:
                        found.append(path)
        return found

    def test_recording_is_private(self):
        self.serve(WELL)
        self.environment["MEMSIFT_RECORD"] = "1"
        self.ask()
        self.assertEqual(stat.S_IMODE(os.stat(self.home.recordings).st_mode), 0o600)
        with open(self.home.recordings, encoding="utf-8") as file:
            record = json.loads(file.read())
        self.assertEqual((record["state"]["prompt"], record["model"]), (QUESTION, ScriptedJudge.model))
        self.assertEqual(set(record["questions"]), set(record["answers"]))


if __name__ == "__main__":
    unittest.main()
