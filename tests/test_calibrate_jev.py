import contextlib
import io
import json
import os
import signal
from unittest import mock

from memsift import recorder
from memsift.deadline import Deadline
from memsift.judgement import Thresholds
from memsift.remote import place
from memsift.remote.systemone import Client
from memsift.replay.recording import BadRecording
from memsift.sorters.jev import JevSorter
from tests import calibrate_cases
from tests import calibrate_figures
from tests import calibrate_jev
from tests import calibrate_recording
from tests import scripted_http
from tests.gold_judge import GoldJudge
from tests.replay import acme_shop
from tests.scripted_http import ScriptedHttp
from tests.support import HomeTest

PASSWORD = "hunter2-of-acme"
OWN = [
    {"prompt": "Which provider did we choose? password: %s" % PASSWORD, "kind": "past_choice", "worth": True,
     "notes": [{"text": "We go with PayCo. DB_PASSWORD=%s" % PASSWORD, "answers": True},
               {"text": "Stock is counted at 04:00.", "answers": False}],
     "conversation": [{"said_by": "agent", "text": "I set API_TOKEN=%s" % PASSWORD}]},
    {"prompts": ["We go with PayCo, its fees are lower. password: %s" % PASSWORD], "answer": "Noted.", "turn": "keep",
     "fact": "PayCo: lower fees."},
]


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self):
        return True


def ask_each_kind(body):
    """What a judge with one answer to everything says."""
    return {"model": "same", "usage": {"input_tokens": 100, "cost": 0.001}, "answers": {
        id: {"type": "noul", "noul": 0.8} if question["type"] == "noul"
        else {"type": "choice", "choice": list(question["criteria"])[0]}
        for id, question in body["questions"].items()}}


class CalibrateTest(HomeTest):

    def calibrate(self, *arguments, url="", typed=None, **environment):
        """The exit code, standard output and standard error."""
        output, errors = io.StringIO(), io.StringIO()
        settings = dict({"MEMSIFT_JEV_URL": url} if url else {}, **environment)
        stdin = io.StringIO() if typed is None else Terminal(typed)
        with mock.patch.dict(os.environ, settings), mock.patch("sys.stdin", stdin), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = calibrate_jev.main(list(arguments))
        return code, output.getvalue(), errors.getvalue()

    def own(self, rows, name="own.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(rows if isinstance(rows, str) else json.dumps(rows))
        return path


class AskingTest(CalibrateTest):

    def test_a_judge_that_knows_the_labels(self):
        with GoldJudge([acme_shop.FILE]) as judge:
            code, output, errors = self.calibrate(acme_shop.FILE, url=judge.url)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("16 requests to 127.0.0.1", output)
        self.assertIn("costs nothing", output)
        self.assertNotIn("Go on?", output)
        self.assertIn("Thresholds in force: 3 prompts get notes, 0 of them for nothing; 3 of 3 that need one get it.",
                      output)
        self.assertIn("Model as it names itself: gold.", output)
        self.assertIn("Latency: median", output)
        self.assertEqual([line for line in output.splitlines() if len(line) > 100 and "requests to" not in line], [])
        self.assertEqual(len(judge.requests), 16)

    def test_json(self):
        with GoldJudge([acme_shop.FILE]) as judge:
            code, output, errors = self.calibrate(acme_shop.FILE, "--json", "--add", "0.05", url=judge.url)
        report = json.loads(output)
        self.assertEqual(code, 0)
        self.assertIn("16 requests", errors)
        self.assertEqual((report["requests"], report["answered"], report["failed"]), (16, 16, 0))
        self.assertEqual(set(report["questions"]), set(calibrate_figures.NAMES))
        need, keep = report["questions"]["need"], report["questions"]["keep"]
        self.assertEqual((need["judged"], need["yes"], need["present"]), (8, 6, 0.5))
        self.assertEqual((keep["judged"], keep["yes"]), (8, 3))
        self.assertIn({"threshold": 0.5, "picked": 6, "right": 6, "precision": 1.0, "recall": 1.0}, need["grid"])
        self.assertTrue(0.6 < report["questions"]["add"]["proposed"] < 0.9)
        self.assertGreater(report["together"]["tried"]["for_nothing"], 0)
        self.assertEqual(report["together"]["proposed"]["for_nothing"], 0)
        self.assertGreater(report["tokens"]["counted"], 0)
        self.assertGreater(report["tokens"]["estimated"], 0)
        self.assertEqual(report["usd"]["estimated"], 0)

    def test_users_own_labels_go_out_redacted(self):
        with ScriptedHttp(scripted_http.computed(ask_each_kind)) as server:
            code, output, _ = self.calibrate(self.own(OWN), url=server.url)
            sent = [request.json() for request in server.requests]
        self.assertEqual(code, 0)
        self.assertEqual(len(sent), 2)
        self.assertNotIn(PASSWORD, json.dumps(sent))
        self.assertIn("PayCo", json.dumps(sent))
        self.assertIn("Cost by the service's own account: 0.0020 USD", output)

    def test_limit_draws_the_same_prompts_again(self):
        drawn = []
        for seed in ("3", "3"):
            with GoldJudge([acme_shop.FILE]) as judge:
                code, _, _ = self.calibrate(acme_shop.FILE, "--limit", "3", "--sample", seed, url=judge.url)
            self.assertEqual(code, 0)
            drawn.append(sorted(json.dumps(body["state"]) for body in judge.requests))
        self.assertEqual(len(drawn[0]), 6)
        self.assertEqual(drawn[0], drawn[1])

    def test_a_refused_key_stops_at_once(self):
        refusal = scripted_http.answers({"error": {"code": 401, "message": "Invalid key"}}, "401 Unauthorized")
        with ScriptedHttp(refusal) as server:
            code, output, errors = self.calibrate(acme_shop.FILE, "--parallel", "1", url=server.url)
            self.assertEqual(len(server.requests), 1)
        self.assertEqual(code, 1)
        self.assertEqual(output.count("\n"), 1)  # the cost
        self.assertEqual(errors, "calibrate_jev: stopped after 0 of 16 answers: "
                                 "the service refuses (status 401): Invalid key\n")

    def test_three_failures_in_a_row_stop(self):
        bad, good = scripted_http.answers({}, "500 Oops"), scripted_http.computed(ask_each_kind)
        with ScriptedHttp(bad, bad, good, bad) as server:
            code, output, errors = self.calibrate(acme_shop.FILE, "--parallel", "1", url=server.url)
            self.assertEqual(len(server.requests), 6)
        self.assertEqual(code, 1)
        self.assertIn("stopped after 1 of 16 answers: 3 failures in a row", errors)
        self.assertIn("Model as it names itself: same.", output)  # what there is is reported all the same

    def test_one_failure_costs_one_answer(self):
        with ScriptedHttp(scripted_http.answers({}, "500 Oops"), scripted_http.computed(ask_each_kind)) as server:
            code, _, errors = self.calibrate(acme_shop.FILE, url=server.url)
            self.assertEqual(len(server.requests), 16)
        self.assertEqual(code, 1)
        self.assertIn("1 of 16 requests failed, the first: status=500", errors)

    def test_being_told_to_slow_down_is_waited_for(self):
        slower = scripted_http.answers({"error": "slower"}, "429 Too Many Requests", [("Retry-After", "0.01")])
        with ScriptedHttp(slower, slower, slower, slower, scripted_http.computed(ask_each_kind)) as server:
            code, _, errors = self.calibrate(acme_shop.FILE, url=server.url)
            self.assertEqual(len(server.requests), 20)
        self.assertEqual((code, errors), (0, ""))

    def test_ctrl_c_reports_what_there_is(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

        def interrupt(connection, request):
            os.kill(os.getpid(), signal.SIGINT)
            connection.wait()
        good = scripted_http.computed(ask_each_kind)
        with ScriptedHttp(good, good, good, interrupt) as server:
            code, output, errors = self.calibrate(acme_shop.FILE, "--parallel", "1", url=server.url)
        self.assertEqual(code, 130)
        self.assertIn("interrupted: 3 of 16 requests were answered", errors)
        self.assertIn("needs memory", output)


class CostTest(CalibrateTest):

    def test_nothing_is_sent_unless_somebody_agrees(self):
        declined = "Nothing was sent"
        for typed, sentence in ((None, "add --yes"), ("n\n", declined), ("\n", declined), ("", declined)):
            with self.subTest(typed), mock.patch("tests.calibrate_asking.Asking.run") as run:
                code, output, errors = self.calibrate(acme_shop.FILE, typed=typed, MEMSIFT_JEV_KEY="none")
                self.assertEqual(code, 1)
                self.assertIn(sentence, output + errors)
                self.assertEqual("Go on? [y/N]" in output, typed is not None)
                self.assertIn("0.042 USD for a million input tokens of typesafe/jev-1.13", output)
                self.assertIn("November 2026", output)
                run.assert_not_called()

    def test_agreeing(self):
        for typed, more in (("y\n", []), ("Yes\n", []), (None, ["--yes"])):
            with self.subTest(typed), mock.patch("tests.calibrate_asking.Asking.run") as run:
                self.calibrate(acme_shop.FILE, *more, typed=typed, MEMSIFT_JEV_KEY="none")
                run.assert_called_once()

    def test_without_a_judge_nothing_is_asked(self):
        code, output, errors = self.calibrate(acme_shop.FILE, "--yes")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("no judge is set", errors)

    def test_prices(self):
        for url, model, usd in (
                ("https://openrouter.ai/api/alpha/decisions", "typesafe/jev-1.13", 0.042),
                ("https://openrouter.ai/api/v1/systemone", "typesafe/jev-1.13-20260917", 0.042),
                ("https://api.typesafe.ai/v1/systemone", "jev-1.13.0", 0.042),
                ("https://openrouter.ai/api/alpha/decisions", "typesafe/jev-1.130", None),
                ("https://openrouter.ai/api/alpha/decisions", "~typesafe/jev-latest", None),
                ("https://openrouter.ai.acme-shop.example/", "typesafe/jev-1.13", None),
                ("http://192.168.1.5:8080/v1/systemone", "tev1", None),
                ("http://localhost:11434/v1/systemone", "tev1", 0),
                ("http://127.0.0.1:8080/v1/systemone", "", 0)):
            with self.subTest(url, model=model):
                self.assertEqual(calibrate_jev.price(place.parse(url), model), usd)

    def test_an_unknown_price_is_said_to_be_unknown(self):
        _, output, _ = self.calibrate(acme_shop.FILE, url="https://judge.acme-shop.example/v1/systemone")
        self.assertIn("cost unknown", output)


class CasesTest(CalibrateTest):

    def test_memory_is_what_the_sessions_before_taught(self):
        cases = [prompt for prompt, _ in calibrate_cases.read(acme_shop.FILE)]
        self.assertNotIn("s1t1", [entry.id for entry in cases[1].question.candidates])  # still the same session
        self.assertIn("s1t1", [entry.id for entry in cases[3].question.candidates])
        after = [entry.id for entry in cases[6].question.candidates]
        self.assertIn("s2t3", after)
        self.assertNotIn("s1t1", after)  # replaced
        self.assertEqual([sum(case.answering) for case in cases], [0, 0, 0, 1, 1, 0, 1, 0])
        self.assertEqual([message.text for message in cases[1].question.recent],
                         ["We go with PayCo for payments, its fees are lower for small carts.",
                          "Noted in the README: PayCo, for its lower fees."])

    def test_changes_read_as_the_worker_writes_them(self):
        turns = [turn for _, turn in calibrate_cases.read(acme_shop.FILE)]
        self.assertEqual(turns[0].question.changes, ["edited README.md", "committed: Choose PayCo"])
        self.assertEqual(turns[2].question.changes, ["failed: make test", "failed, then worked: make test"])

    def test_what_is_wrong_with_a_file_is_said(self):
        prompt, turn = OWN
        for rows, complaint in (
                ("[1", "no JSON list"), ([], "the list is empty"), ([1], "item 1: must be an object"),
                ([dict(prompt, kind="odd")], "item 1: 'kind' must be one of: reaction"),
                ([prompt, dict(prompt, prompt=3)], "item 2: 'prompt' must be a text"),
                ([dict(prompt, notes=[{"text": "a"}])], "item 1, notes 1: 'answers' must be true or false"),
                ([dict(turn, turn="maybe")], "item 1: 'turn' must be one of: keep, correction, nothing"),
                ([dict(turn, prompts="a")], "item 1: 'prompts' must be a list of texts"),
                ("{}", "neither a labelled conversation")):
            with self.subTest(complaint):
                path = self.own(rows)
                with self.assertRaises(BadRecording) as caught:
                    calibrate_cases.read(path)
                self.assertIn(path, str(caught.exception))
                self.assertIn(complaint, str(caught.exception))

    def test_a_missing_file_is_named(self):
        code, _, errors = self.calibrate(os.path.join(self.folder, "none.json"), url="http://127.0.0.1:9/")
        self.assertEqual(code, 1)
        self.assertIn("none.json: No such file or directory", errors)

    def test_which_sentences_carry_a_fact(self):
        fact = "Payments go through PayCo: lower fees for small carts."
        for sentences, labels in (
                (["We take PayCo for payments, since its fees are lower.", "Thanks!", "See it."], [True, False, False]),
                (["PayCo then.", "Thanks!"], [True, False]),  # the best of few
                (["Thanks!"], [False]), ([], [])):
            with self.subTest(sentences):
                self.assertEqual(calibrate_cases.carrying(fact, sentences), labels)


class FiguresTest(CalibrateTest):

    def test_the_proposal_is_precise_first(self):
        for scores, precision, proposed in (
                ([(0.9, True), (0.6, False)], 0.9, 0.75),  # the middle of 0.65 to 0.90, rounded down
                ([(0.9, True), (0.7, False), (0.5, True)], 0.9, 0.8),
                ([(0.9, True), (0.7, False), (0.5, True)], 0.6, 0.25),  # all are found, two of three right
                ([(0.9, False), (0.5, True)], 0.9, None),
                ([(0.5, False)], 0.9, None), ([], 0.9, None)):
            with self.subTest(scores, precision=precision):
                question = calibrate_figures.Question("add", None)
                question.scores = scores
                self.assertEqual(question.proposed(precision), proposed)

    def test_a_threshold_between_the_steps_has_a_row(self):
        question = calibrate_figures.Question("add", 0.62)
        question.scores = [(0.62, True), (0.61, True), (0.3, False)]
        self.assertEqual(question.row(0.62), (1, 1, 1.0, 0.5))
        self.assertIn("     0.62    * 100.0  50.0", calibrate_figures.table({"add": question}, 0.9))

    def test_few_cases_are_pointed_out(self):
        question = calibrate_figures.Question("add", 0.5)
        question.scores = [(0.9, True)] * (calibrate_figures.FEW - 1)
        self.assertIn("(few!)", calibrate_figures.table({"add": question}, 0.9))
        question.scores.append((0.9, True))
        self.assertNotIn("(few!)", calibrate_figures.table({"add": question}, 0.9))


class RecordingTest(CalibrateTest):

    @classmethod
    def setUpClass(cls):
        cls.recorded = []
        with GoldJudge([acme_shop.FILE]) as judge:
            sorter = JevSorter(Client(judge.url), cls.recorded.append)
            for item in calibrate_cases.read(acme_shop.FILE):
                for case in item:
                    case.judge(sorter, Deadline(30.0))

    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "jev.jsonl")
        for facts in self.recorded:
            recorder.record(self.path, facts)

    def test_which_decisions_would_change(self):
        code, output, errors = self.calibrate("--recording", self.path, "--add", "0.95")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("8 prompts and 8 turns, answered by gold (16); 0 lines of no use", output)
        self.assertIn("3 decisions would change.", output)
        self.assertIn("prompt: Which provider takes the money, and why that one?\n"
                      "  - Payments go through PayCo: lower fees for small carts.\n", output)

    def test_turns_too(self):
        _, output, _ = self.calibrate("--recording", self.path, "--keep", "1", "--json")
        report = json.loads(output)
        self.assertEqual([change["of"] for change in report["changes"]], ["turn"] * 3)
        self.assertEqual([change["after"] for change in report["changes"]], [[]] * 3)

    def test_the_same_thresholds_change_nothing(self):
        _, output, _ = self.calibrate("--recording", self.path, "--add", "0.75", "--need", "0.5")
        self.assertIn("0 decisions would change.", output)

    def test_without_other_thresholds_all_are_counted(self):
        code, output, _ = self.calibrate("--recording", self.path)
        self.assertEqual(code, 0)
        row = next(line for line in output.splitlines() if line.strip().startswith("0.75"))
        self.assertEqual(row.split()[:6], ["0.75", "3", "0", "*", "3", "0"])
        self.assertTrue(all(len(line) <= 100 for line in output.splitlines()))

    def test_useless_lines_are_counted(self):
        with open(self.path, encoding="utf-8") as file:
            first = json.loads(file.readline())
        other = dict(first, questions=dict(first["questions"], n0={"type": "noul", "instructions": "Is it so?"}))
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("{broken\n[]\n\n%s\n%s\n" % (json.dumps(other), json.dumps(dict(first, answers={}))))
        recording = calibrate_recording.Recording(self.path)
        self.assertEqual((len(recording.records), recording.useless), (16, 4))

    def test_thresholds_are_replaced_one_by_one(self):
        mine = calibrate_recording.replaced(Thresholds(0.1, 0.2, 0.3, 0.4), {"add": 0.0, "keep": None})
        self.assertEqual([getattr(mine, name) for name in Thresholds.__slots__], [0.1, 0.0, 0.3, 0.4, 0.5, 0.5])
