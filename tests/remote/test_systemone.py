import json
import time
import unittest

from memsift.deadline import Deadline
from memsift.remote import systemone
from memsift.remote.service import Failed
from memsift.remote.systemone import Answers
from memsift.remote.systemone import Client
from tests import scripted_http
from tests.remote.test_transport import IMPATIENT
from tests.remote.test_transport import PATIENT
from tests.remote.test_transport import TransportTest
from tests.scripted_http import message
from tests.scripted_http import raw

MODEL = "typesafe/jev-1.13"
STATE = {"prompt": "Which payment provider did we choose?"}
QUESTIONS = {"a": systemone.noul("Is it a question?", "It asks.", "It does not ask."),
             "b": systemone.choice("What is it about?", {"payments": "Money.", "none": "Anything else."})}
# Made up in parts and in no vendor's form: only the client itself can know that it is the key.
KEY = "acme" + "shop" + "judge"
OPENROUTER = {
    "id": "gen-dec-1790265859-x", "model": MODEL + "-20260917", "provider": "TypeSafe",
    "answers": {
        "a": {"type": "noul", "noul": 0.96},
        "b": {"type": "choice", "choice": "payments", "probabilities": {"payments": 0.75, "none": 0.25},
              "confidence": 0.5},
        "c": {"type": "score", "score": 1.99, "legend": {"0": "low", "1": "middle", "2": "high"},
              "probabilities": {"0": 0, "1": 0, "2": 1}, "confidence": 0.99}},
    "usage": {"input_tokens": 476, "output_tokens": 70, "cost": 0.000019992}}


class SystemOneTest(TransportTest):
    def ask(self, *script, seconds=PATIENT, key=KEY, **more):
        self.server = self.serve(*script)
        return Client(self.server.url, key, MODEL, **more).ask(STATE, QUESTIONS, Deadline(seconds))

    def failure(self, *script, **more):
        with self.assertRaises(Failed) as caught:
            self.ask(*script, **more)
        return caught.exception


class Asked(SystemOneTest):
    def test_one_request_holds_model_state_questions_and_key(self):
        self.ask(scripted_http.answers(OPENROUTER))
        request, = self.server.requests
        self.assertEqual(request.json(), {"model": MODEL, "state": STATE, "questions": QUESTIONS})
        self.assertEqual(request.headers["authorization"], "Bearer " + KEY)
        self.assertEqual(request.headers["content-type"], "application/json")
        self.assertEqual(request.headers["accept"], "application/json")

    def test_without_key_and_model_neither_is_sent(self):
        server = self.serve(scripted_http.answers(OPENROUTER))
        for key in ("", "  \n"):
            Client(server.url, key).ask(STATE, QUESTIONS, Deadline(PATIENT))
        for request in server.requests:
            self.assertNotIn("authorization", request.headers)
            self.assertNotIn("model", request.json())

    def test_further_fields_are_sent_and_replace_none_of_ours(self):
        extra = {"provider": {"data_collection": "deny"}, "state": "other"}
        self.ask(scripted_http.answers(OPENROUTER), extra=extra)
        body = self.server.requests[0].json()
        self.assertEqual((body["provider"], body["state"]), ({"data_collection": "deny"}, STATE))

    def test_text_goes_out_as_utf8_with_half_an_emoji_replaced(self):
        server = self.serve(scripted_http.answers(OPENROUTER))
        Client(server.url).ask("où 🛒 \ud83d.", QUESTIONS, Deadline(PATIENT))
        self.assertIn("où 🛒 ?.".encode("utf-8"), server.requests[0].body)

    def test_questions_are_complete_for_the_strictest_service(self):
        self.assertEqual(QUESTIONS["a"], {"type": "noul", "instructions": "Is it a question?",
                                          "criteria": {"true": "It asks.", "false": "It does not ask."}})
        self.assertEqual(QUESTIONS["b"], {"type": "choice", "instructions": "What is it about?",
                                          "criteria": {"payments": "Money.", "none": "Anything else."}})

    def test_key_that_no_header_can_hold_is_refused_and_not_repeated(self):
        for key in (KEY + "\r\nX: y", KEY + "\n" + KEY, KEY + "é", KEY + "\x00"):
            with self.subTest(key):
                failed = self.failure(scripted_http.answers(OPENROUTER), key=key)
                self.assertEqual((failed.status, self.server.connections), (0, 0))
                self.assertIn("Authorization", failed.message)
                self.assertNotIn(KEY, repr(failed))

    def test_client_does_not_show_its_key(self):
        client = Client("http://127.0.0.1/", KEY)
        self.assertNotIn(KEY, "%r %s" % (client, client))


class Answered(SystemOneTest):
    def test_everything_that_a_full_answer_tells_is_there(self):
        answers = self.ask(scripted_http.answers(OPENROUTER))
        self.assertEqual((answers.model, answers.input_tokens, answers.cost), (MODEL + "-20260917", 476, 0.000019992))
        self.assertEqual(answers.noul("a"), 0.96)
        self.assertEqual(answers.choice("b", ["payments", "none"]), {"payments": 0.75, "none": 0.25})
        self.assertGreater(answers.duration, 0)

    def test_answers_of_other_servers_are_read_by_what_is_there(self):
        a = {"type": "noul", "noul": 0.96}
        rows = {
            "TypeSafe": {"model": "jev-1.13.0", "answers": {"a": a},
                         "usage": {"input_tokens": 300, "output_tokens": 9}},
            "llama.cpp": {"answers": {"a": {"type": "noul", "noul": 0.96, "confidence": 0.9137}}, "model": "gguf",
                          "usage": {"input_tokens": 300, "output_tokens": 0}},
            "a millisecond count": {"answers": {"a": a}, "latency_ms": 3.1, "usage": {"input_tokens": 300}},
            "a meta field": {"answers": {"a": a}, "meta": {"engine": "mock"}, "usage": {"input_tokens": 300}},
            "no error": {"answers": {"a": a}, "error": None, "usage": {"input_tokens": 300}},
            "no types": {"answers": {"a": {"noul": 0.96}}, "usage": {"input_tokens": 300}},
            "another order, an unknown type": {
                "usage": {"input_tokens": 300.0},
                "answers": {"z": {"type": "box", "box": [0, 0, 1, 1]}, "y": None, "a": a}},
        }
        for name, content in rows.items():
            with self.subTest(name):
                answers = self.ask(scripted_http.answers(content))
                self.assertEqual((answers.noul("a"), answers.input_tokens, answers.cost), (0.96, 300, None))

    def test_usage_that_is_missing_or_of_another_type_is_unknown(self):
        pairs = ((None, None), ("9", "0.1"), (True, False), (-1, -1), (10 ** 400, 10 ** 400), ([], {}))
        usages = [{"input_tokens": tokens, "cost": cost} for tokens, cost in pairs]
        for usage in usages + [None, [], "many", {}]:
            with self.subTest(usage):
                answers = self.ask(scripted_http.answers({"answers": {}, "usage": usage, "model": 7}))
                self.assertEqual((answers.input_tokens, answers.cost, answers.model), (None, None, ""))

    def test_wrong_content_type_and_a_byte_order_mark_do_no_harm(self):
        body = b"\xef\xbb\xbf" + json.dumps(OPENROUTER).encode("utf-8")
        data = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        self.assertEqual(self.ask(raw(data)).noul("a"), 0.96)


class Nouls(unittest.TestCase):
    def test_probability_as_any_json_number(self):
        for value, expected in ((0.96, 0.96), (0, 0.0), (1, 1.0), (0.50, 0.5), (1.0000002, 1.0), (5e-324, 5e-324)):
            with self.subTest(value):
                found = Answers({"a": {"type": "noul", "noul": value}}).noul("a")
                self.assertEqual((found, type(found)), (expected, float))

    def test_anything_else_is_refused_plainly(self):
        values = ("0.96", "NaN", "Infinity", float("nan"), float("inf"), -0.1, 1.5, 96, 10 ** 400, None, True, [0.9],
                  {"true": 0.9})
        bad = [{"type": "noul", "noul": value} for value in values]
        bad += [{"type": "noul"}, {}, None, 0.96, "yes", [], {"type": "score", "noul": 0.96}, {"type": None, "noul": 0.96},
                {"type": "boolean", "probability": 0.9}, {"type": "choice", "choice": "true"}]
        for answer in bad:
            with self.subTest(answer), self.assertRaises(Failed) as caught:
                Answers({"a": answer}, duration=0.25).noul("a")
            self.assertEqual((caught.exception.status, caught.exception.duration), (200, 0.25))
            self.assertIn("the answer to a", caught.exception.message)

    def test_missing_answer_is_an_error_and_no_default(self):
        with self.assertRaisesRegex(Failed, "^status=200 duration=0.000 the answer to n1 is missing$"):
            Answers({"a": {"type": "noul", "noul": 0.96}}).noul("n1")


class Choices(unittest.TestCase):
    def choice(self, options="xyz", **answer):
        return Answers({"k": dict({"type": "choice"}, **answer)}).choice("k", list(options))

    def test_probabilities_as_they_come(self):
        rows = (
            ("exact", {"x": 0.5, "y": 0.25, "z": 0.25}, {"x": 0.5, "y": 0.25, "z": 0.25}),
            ("tie", {"x": 0.5, "y": 0.5, "z": 0}, {"x": 0.5, "y": 0.5, "z": 0.0}),
            ("integers", {"x": 1, "y": 0, "z": 0}, {"x": 1.0, "y": 0.0, "z": 0.0}),
            ("rounded down", {"x": 0.33, "y": 0.32, "z": 0.32}, {"x": 33 / 97, "y": 32 / 97, "z": 32 / 97}),
            ("rounded up", {"x": 0.35, "y": 0.34, "z": 0.34}, {"x": 35 / 103, "y": 34 / 103, "z": 34 / 103}),
            ("unrounded", {"x": 1.0000001, "y": 1e-9, "z": 0.0}, {"x": 1.0, "y": 0.0, "z": 0.0}),
            ("unknown option", {"x": 0.5, "w": 0.5}, {"x": 1.0, "y": 0.0, "z": 0.0}),
            ("in another order, one left out", {"z": 0.75, "x": 0.25}, {"x": 0.25, "y": 0.0, "z": 0.75}),
        )
        for name, given, expected in rows:
            with self.subTest(name):
                found = self.choice(choice="x", probabilities=given, confidence=0.67)
                self.assertEqual(list(found), list(expected))
                for option in expected:
                    self.assertAlmostEqual(found[option], expected[option], places=6)
                self.assertAlmostEqual(sum(found.values()), 1.0)
                self.assertEqual({type(value) for value in found.values()}, {float})

    def test_without_usable_probabilities_the_chosen_one_is_certain(self):
        for more in ({}, {"probabilities": None}, {"probabilities": {}}, {"probabilities": {"x": 0, "y": 0, "z": 0}},
                     {"probabilities": {"w": 1}}, {"confidence": 0.4}):
            with self.subTest(more):
                self.assertEqual(self.choice(choice="y", **more), {"x": 0.0, "y": 1.0, "z": 0.0})

    def test_probabilities_are_enough_without_a_chosen_one(self):
        self.assertEqual(self.choice(probabilities={"x": 1}), {"x": 1.0, "y": 0.0, "z": 0.0})

    def test_anything_else_is_refused_plainly(self):
        bad = [{"choice": value} for value in ("w", "", None, 0, ["x"], {"x": 1})] + [{}]
        bad += [{"choice": "x", "probabilities": value} for value in (
            [0.5, 0.5], "x", 0.5, {"x": "0.5"}, {"x": "NaN"}, {"x": float("nan")}, {"x": -0.5, "y": 1},
            {"x": 78, "y": 22}, {"x": None}, {"x": True})]
        bad += [{"type": "score", "score": 1.99, "probabilities": {"0": 0, "1": 0, "2": 1}},
                {"type": "noul", "noul": 0.9}]
        for answer in bad:
            with self.subTest(answer), self.assertRaises(Failed) as caught:
                self.choice(**answer)
            self.assertIn("the answer to k", caught.exception.message)

    def test_score_is_no_choice_although_its_keys_look_like_options(self):
        answers = Answers(OPENROUTER["answers"])
        for read in (lambda: answers.noul("c"), lambda: answers.choice("c", ["0", "1", "2"])):
            with self.assertRaises(Failed):
                read()


class Refused(SystemOneTest):
    def test_every_shape_of_error_gives_its_status_and_its_message(self):
        fastapi = {"detail": [{"loc": ["body", "questions"], "msg": "Field required", "type": "missing"},
                              {"loc": ["body", "state"], "msg": "Input should be valid", "type": "x"}, "odd"]}
        rows = (
            ("400 Bad Request", {"error": {"code": 400, "message": "bad model", "metadata": {}}, "user_id": "u"},
             400, "bad model"),
            ("400 Bad Request", {"detail": "Too many score levels."}, 400, "Too many score levels."),
            ("401 Unauthorized", {"error": {"message": "Invalid API Key", "type": "authentication_error", "code": 401}},
             401, "Invalid API Key"),
            ("402 Payment Required",
             {"error": {"code": 402, "message": "no credits", "metadata": {"limit_source": "x"}}}, 402, "no credits"),
            ("403 Forbidden", {"error": {"code": 403, "message": "moderated"}}, 403, "moderated"),
            ("404 Not Found", {"detail": "Not Found"}, 404, "Not Found"),
            ("408 Request Timeout", {"message": "too slow"}, 408, "too slow"),
            ("413 Payload Too Large", {"detail": {"message": "too large"}}, 413, "too large"),
            ("422 Unprocessable Entity", fastapi, 422, "Field required; Input should be valid"),
            ("429 Too Many Requests", {"error": "slow down"}, 429, "slow down"),
            ("500 Internal Server Error", {"error": {"code": 500}}, 500, "Internal Server Error"),
            ("502 Bad Gateway", {"error": None, "message": ["odd"], "detail": []}, 502, "Bad Gateway"),
            ("503 Service Unavailable", {"answers": {"a": {"noul": 1}}}, 503, "Service Unavailable"),
            ("524 A Timeout Occurred", {}, 524, "A Timeout Occurred"),
            ("529 ", {"error": {"message": "overloaded", "code": 529}}, 529, "overloaded"),
            ("529 ", {"error": {"message": "  "}}, 529, "no reason given"),
            ("200 OK", {"error": {"code": 429, "message": "rate limited"}}, 429, "rate limited"),
            ("200 OK", {"error": {"code": 401, "message": "bad key"}, "answers": {}}, 401, "bad key"),
            ("200 OK", {"error": {"code": "server_error", "message": "broken"}}, 200, "broken"),
            ("200 OK", {"error": "broken"}, 200, "broken"),
            ("200 OK", {"choices": []}, 200, "the answer holds no answers"),
            ("200 OK", {"answers": [{"name": "a", "noul": 1}]}, 200, "the answer holds no answers"),
            ("200 OK", {"answers": None}, 200, "the answer holds no answers"),
            ("200 OK", [], 200, "the answer is no JSON object"),
            ("200 OK", "answers", 200, "the answer is no JSON object"),
        )
        for status, content, expected_status, expected_message in rows:
            with self.subTest((status, content)):
                failed = self.failure(scripted_http.answers(content, status))
                self.assertEqual((failed.status, failed.message), (expected_status, expected_message))
                self.assertEqual(len(self.server.requests), 1, "it never asks again")

    def test_body_that_is_no_json_is_a_failure(self):
        page = b"<html><body>502 Bad Gateway</body></html>"
        plain = "the answer is no JSON object"
        rows = (("502 Bad Gateway", page, 502, "Bad Gateway"), ("200 OK", page, 200, plain), ("200 OK", b"", 200, plain),
                ("204 No Content", b"", 204, plain), ("200 OK", b'{"answers": {', 200, plain),
                ("200 OK", b"\xff\xfe\x00", 200, plain), ("200 OK", b"[" * 500_000, 200, plain),
                ("200 OK", b'{"answers":' * 100_000, 200, plain),
                ("500 Internal Server Error", b"", 500, "Internal Server Error"))
        for status, body, expected_status, expected_message in rows:
            with self.subTest((status, body[:20])):
                failed = self.failure(raw(message(body, status)))
                self.assertEqual((failed.status, failed.message), (expected_status, expected_message))

    def test_redirect_is_a_failure_and_the_other_place_gets_no_key(self):
        other = self.serve(scripted_http.answers(OPENROUTER))
        for status in ("301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"):
            failed = self.failure(scripted_http.redirect(other.url, status))
            self.assertEqual((failed.status, failed.message), (int(status[:3]), "the service redirects elsewhere, "
                                                               "which is not followed"))
        self.assertEqual(other.connections, 0)

    def test_no_answer_has_status_zero_and_ends_at_the_deadline(self):
        rows = (("hangs", scripted_http.hang, "no answer within 0.4 s"),
                ("trickles", scripted_http.trickle(message(json.dumps(OPENROUTER).encode())), "no answer within 0.4 s"),
                ("floods", scripted_http.flood(100_000_000), "longer than"),
                ("breaks off", scripted_http.cut(OPENROUTER), "closed"),
                ("garbage", raw(b"\x00garbage\r\n"), "no HTTP answer"),
                ("gzip", scripted_http.gzipped(OPENROUTER), "compressed"))
        for name, act, words in rows:
            with self.subTest(name):
                started = time.monotonic()
                failed = self.failure(act, seconds=IMPATIENT)
                self.assertEqual((failed.status, failed.retry_after), (0, None))
                self.assertIn(words, failed.message)
                self.assertLessEqual(failed.duration, time.monotonic() - started)

    def test_failure_reads_as_the_log_wants_it(self):
        self.assertEqual(str(Failed(500, "broken", 3.0, 0.12)), "status=500 duration=0.120 broken")
        self.assertEqual(str(Failed(0, "late", None, 2.0)), "status=0 duration=2.000 late")

    def test_wait_that_the_service_asks_for(self):
        later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
        rows = (({"Retry-After": "3"}, 3.0), ({"retry-after": "0.5"}, 0.5),
                ({"Retry-After-Ms": "1500", "Retry-After": "2"}, 1.5),
                ({"Retry-After-Ms": "soon", "Retry-After": "2"}, 2.0), ({}, None), ({"Retry-After": "soon"}, None),
                ({"Retry-After": "-1"}, None), ({"Retry-After": "nan"}, None), ({"Retry-After": "inf"}, None),
                ({"Retry-After": "Mon, 30 Nov 2020 04:00:00 GMT"}, 0.0),
                ({"Retry-After": "Mon, 99 Foo 2020 04:00:00 GMT"}, None), ({"Retry-After": "Mon,"}, None),
                ({"Retry-After": "Mon, 30 Nov %s 04:00:00 GMT" % ("9" * 30)}, None))
        for headers, expected in rows:
            with self.subTest(headers):
                failed = self.failure(scripted_http.answers({}, "429 Too Many Requests", headers.items()))
                self.assertEqual(failed.retry_after, expected)
        failed = self.failure(scripted_http.answers({}, "503 Service Unavailable", [("Retry-After", later)]))
        self.assertAlmostEqual(failed.retry_after, 100, delta=30)

    def test_message_is_one_short_line_without_the_key_or_any_secret(self):
        password = "hunter" + "2" * 9
        text = "wrong key %s\n\x1b[31mfor\tpassword=%s " % (KEY, password) + "long " * 1000
        failed = self.failure(scripted_http.answers({"error": {"message": text}}, "401 Unauthorized"))
        self.assertRegex(failed.message, r"^wrong key \[redacted\] \[31mfor password=\[redacted\] long")
        self.assertLessEqual(len(failed.message), 300)
        reason = self.failure(raw(message(b"", "500 broken " + KEY)))
        for failed in (failed, reason):
            for secret in (KEY, password, "\n", "\x1b"):
                self.assertNotIn(secret, repr(failed) + str(failed))
