"""What doctor makes of services that answer well, badly, or not at all; none of them is the real one."""

import json
import os
import unittest
from unittest import mock

from memsift.doctor import services
from memsift.remote.pauses import Pauses
from tests.doctor.healthy import HealthyTest
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.scripted_http import hang
from tests.scripted_http import raw
from tests.scripted_judge import ScriptedJudge

WELL = computed(ScriptedJudge())
DATASETS = answers([{"id": "d1", "name": "memsift-acme-shop", "createdAt": "2026-11-30T00:00:00Z"}])
CHAT = answers({"model": "anthropic/claude-haiku-4.5", "choices": [{"message": {"content": "{\"ok\": true}"}}],
                "usage": {"prompt_tokens": 20, "completion_tokens": 5}})


def refusal(status, message="no", reason="Oops"):
    return answers({"error": {"message": message}}, "%d %s" % (status, reason))


class ServicesTest(HealthyTest):
    def serve(self, *script, name="JEV", more=()):
        server = ScriptedHttp(*script)
        server.__enter__()
        self.addCleanup(server.__exit__)
        self.set("MEMSIFT_%s_URL=%s" % (name, server.url), "MEMSIFT_%s_KEY=invented" % name, *more)
        return server

    def facts(self):
        return dict(map(tuple, self.report().facts()["facts"]["services"]))


class Well(ServicesTest):
    def test_each_service_is_asked_once_and_its_answer_told(self):
        judge, store, chat = ScriptedHttp(WELL), ScriptedHttp(DATASETS), ScriptedHttp(CHAT)
        for server in (judge, store, chat):
            server.__enter__()
            self.addCleanup(server.__exit__)
        self.set("MEMSIFT_JEV_URL=" + judge.url, "MEMSIFT_COGNEE_URL=http://127.0.0.1:%d" % store.port,
                 "MEMSIFT_COGNEE_KEY=invented", "MEMSIFT_COMPACTOR_URL=" + chat.url)
        report = self.report()
        self.assertEqual(report.facts()["findings"], [])
        told = dict(map(tuple, report.facts()["facts"]["services"]))
        self.assertRegex(told["jev"],
                         r"127.0.0.1:%d answers in \d\.\d\d s: typesafe/jev-1.13-20260917 for about \$0.000020" % judge.port)
        self.assertRegex(told["cognee"], r"answers in .* 1 dataset")
        self.assertRegex(told["compactor"], r"anthropic/claude-haiku-4.5 for about \$0.000045")
        self.assertEqual([len(server.requests) for server in (judge, store, chat)], [1, 1, 1])
        types = {question["type"] for question in judge.requests[0].json()["questions"].values()}
        self.assertEqual(types, {"choice", "noul"})
        sent = json.dumps(report.facts()["facts"]["what leaves this machine"])
        for server in (judge, store, chat):
            self.assertIn(":%d" % server.port, sent)

    def test_they_are_asked_at_the_same_time(self):
        probes = [mock.Mock(side_effect=lambda settings, deadline: barrier.wait(10)) for _ in range(3)]
        import threading
        barrier = threading.Barrier(3)
        found = {str(number): ("x", "http://127.0.0.1", probe) for number, probe in enumerate(probes)}
        with mock.patch("memsift.doctor.services.configured", return_value=found):
            self.assertEqual([one.failed for one in services.probe(None, self.runtime().deadline)], [None] * 3)

    def test_request_that_breaks_off_is_no_answer(self):
        found = {"jev": ("Jev (the judge)", "http://127.0.0.1", mock.Mock(side_effect=ValueError("surprise")))}
        with mock.patch("memsift.doctor.services.configured", return_value=found), mock.patch("threading.excepthook"):
            self.assertEqual([one.failed.message for one in services.probe(None, self.runtime().deadline)],
                             ["the request broke off"])

    def test_without_a_service_nothing_is_asked(self):
        self.assertEqual(self.facts(), {"none": "everything is judged and kept on this machine"})

    def test_in_codexs_sandbox_nothing_is_asked_and_it_is_said(self):
        server = self.serve(WELL)
        os.environ["CODEX_SANDBOX_NETWORK_DISABLED"] = "1"
        self.assertIn("$memsift-doctor", self.facts()["not asked"])
        self.assertEqual(server.requests, [])


class Badly(ServicesTest):
    def test_advice_by_what_came_back(self):
        for act, said, do in (
                (refusal(401, "the key is not known"), "HTTP 401, the key is not known", "Check MEMSIFT_JEV_KEY"),
                (refusal(402, "no credits"), "HTTP 402", "no credit left"),
                (refusal(404), "HTTP 404", "MEMSIFT_JEV_URL: nothing is served"),
                (refusal(400, "unknown model x"), "unknown model", "Check MEMSIFT_JEV_MODEL"),
                (refusal(503), "HTTP 503", "Wait for the service to recover"),
                (refusal(429, "slow down"), "HTTP 429", "comes back by itself"),
                (answers({"hello": 1}), "HTTP 200", "does not speak the expected format"),
                (answers({"answers": {"greets": {"type": "noul", "noul": 0.9}}}), "is missing", "does not speak the expected format"),
                (raw(b"SSH-2.0-OpenSSH\r\n"), "no HTTP answer", "Check MEMSIFT_JEV_URL, the network")):
            with self.subTest(do):
                self.serve(act)
                found = self.assert_found(said, do)
                self.assertIn("embedded sorter judges", found.why)

    def test_server_that_is_not_there_or_never_answers(self):
        self.set("MEMSIFT_JEV_URL=http://127.0.0.1:9/v1/systemone")
        self.assert_found("gives no usable answer", "if the server is yours, start it")
        self.serve(hang)
        with mock.patch("memsift.doctor.services.PROBE_SECONDS", 0.2):
            self.assert_found("no answer within 0.2 s", "Check MEMSIFT_JEV_URL")

    def test_cognee_with_a_bad_key(self):
        server = ScriptedHttp(answers({"detail": "Unauthorized"}, "401 Unauthorized"))
        with server:
            self.set("MEMSIFT_COGNEE_URL=http://127.0.0.1:%d" % server.port, "MEMSIFT_COGNEE_KEY=invented")
            found = self.assert_found("Cognee (the long-term memory) gives no usable answer: HTTP 401",
                                      "Check MEMSIFT_COGNEE_KEY")
        self.assertIn("outbox", found.why)

    def test_compactor_that_fails(self):
        self.serve(refusal(500), name="COMPACTOR")
        self.assert_found("The compactor gives no usable answer", "MEMSIFT_COMPACTOR_URL")

    def test_paused_service_is_asked_all_the_same_and_stays_paused(self):
        server = self.serve(WELL)
        pauses = Pauses(self.home.state)
        pauses.failed("jev", 401, "bad key")
        found = self.assert_found("Jev (the judge) is paused since", "/memsift-resume")
        self.assertIn("bad key", found.what)
        self.assertEqual(len(server.requests), 1)
        self.assertIsNotNone(pauses.of("jev"))

    def test_failures_that_do_not_pause_yet_are_a_fact(self):
        self.serve(WELL)
        Pauses(self.home.state).failed("jev", 500, "x")
        self.assertEqual(self.findings(), [])
        self.assertIn("failed 1 times", json.dumps(self.report().facts()["facts"]["services"]))


class Names(ServicesTest):
    """What is wrong with an address, a key or a model before anybody is asked."""

    def look(self, *lines):
        self.set(*lines)
        with mock.patch("memsift.doctor.services.probe", return_value=[]):
            return self.findings()

    def test_missing_tilde_of_openrouters_alias(self):
        found, = self.look("MEMSIFT_JEV_KEY=invented", "MEMSIFT_JEV_MODEL=typesafe/jev-latest")
        self.assertIn("MEMSIFT_JEV_MODEL is typesafe/jev-latest (%s:2)" % self.env_file, found.what)
        self.assertEqual(found.do, "Set it to ~typesafe/jev-latest.")

    def test_openrouters_name_at_typesafe(self):
        url = "MEMSIFT_JEV_URL=https://api.typesafe.ai/v1/systemone"
        found, = self.look("MEMSIFT_JEV_KEY=invented", url)
        self.assertEqual(found.do, "Set it to jev-1.13.0.")
        found, = self.look("MEMSIFT_JEV_KEY=invented", url, "MEMSIFT_JEV_MODEL=~typesafe/jev-latest")
        self.assertEqual(found.do, "Set it to jev-latest.")

    def test_right_names(self):
        self.assertEqual(self.look("MEMSIFT_JEV_KEY=invented", "MEMSIFT_JEV_MODEL=~typesafe/jev-latest"), [])
        self.assertEqual(self.look("MEMSIFT_JEV_KEY=invented"), [])

    def test_chat_address(self):
        found, = self.look("MEMSIFT_JEV_URL=https://openrouter.ai/api/v1/chat/completions")
        self.assertIn("https://openrouter.ai/api/alpha/decisions", found.do)

    def test_key_of_another_service(self):
        found, = self.look("MEMSIFT_JEV_KEY=sk-or-invented", "MEMSIFT_JEV_URL=https://api.typesafe.ai/v1/systemone",
                           "MEMSIFT_JEV_MODEL=jev-1.13.0")
        self.assertIn("looks like a key of OpenRouter", found.what)

    def test_key_that_travels_in_clear(self):
        found, = self.look("MEMSIFT_JEV_KEY=invented", "MEMSIFT_JEV_URL=http://judge.acme-shop.example/v1/systemone")
        self.assertIn("https://", found.do)
        self.assertEqual(self.look("MEMSIFT_JEV_KEY=invented", "MEMSIFT_JEV_URL=http://127.0.0.1:9/v1/systemone"), [])

    def test_another_build_answered(self):
        judge = ScriptedJudge()
        judge.model = "typesafe/jev-1.14-20261015"
        self.serve(computed(judge))
        self.assert_found("asks for typesafe/jev-1.13, and typesafe/jev-1.14-20261015 answered",
                          "version that you want")


if __name__ == "__main__":
    unittest.main()
