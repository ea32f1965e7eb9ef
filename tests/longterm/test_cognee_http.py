import json
import time
import unittest

from memsift.deadline import Deadline
from memsift.longterm.cognee_http import Http
from memsift.longterm.cognee_http import NotThere
from memsift.remote.service import Failed
from tests import scripted_cognee
from tests import scripted_http
from tests.remote.test_transport import GENEROUS
from tests.remote.test_transport import IMPATIENT
from tests.remote.test_transport import PATIENT
from tests.remote.test_transport import TransportTest
from tests.scripted_http import answers
from tests.scripted_http import message
from tests.scripted_http import raw

KEY = "acme" + "shop" + "cognee"


class HttpTest(TransportTest):
    def setUp(self):
        super().setUp()
        self.url = ""

    def server_of(self, *script, **how):
        server = self.serve(*script, **how)
        self.url = server.url[:-len("/v1/systemone")]
        return server

    def json(self, *script, method="GET", path="/api/v1/datasets", seconds=PATIENT, fields=None, **how):
        self.server = self.server_of(*script, **how)
        return Http(self.url, KEY).json(method, path, Deadline(seconds), fields)

    def failure(self, *script, **more):
        with self.assertRaises(Failed) as caught:
            self.json(*script, **more)
        self.assertNotIn(KEY, repr(caught.exception))
        return caught.exception


class Sent(HttpTest):
    def test_key_travels_in_its_own_header(self):
        self.json(answers([]))
        request, = self.server.requests
        self.assertEqual((request.line, request.headers["x-api-key"], request.body), ("GET /api/v1/datasets HTTP/1.1", KEY, b""))
        self.assertFalse({"authorization", "content-type", "content-length"} & set(request.headers))

    def test_without_a_key_none_is_sent(self):
        server = self.server_of(answers([]))
        Http(self.url).json("GET", "/api/v1/datasets", Deadline(PATIENT))
        self.assertNotIn("x-api-key", server.requests[0].headers)

    def test_closing_slash_and_path_of_the_address_are_kept_in_order(self):
        server = self.server_of(answers([]))
        Http(self.url + "/cognee/", KEY).json("GET", "/api/v1/datasets", Deadline(PATIENT))
        self.assertEqual(server.requests[0].line, "GET /cognee/api/v1/datasets HTTP/1.1")


class Redirected(HttpTest):
    def test_method_body_and_key_go_along_on_the_same_server(self):
        for status in ("307 Temporary Redirect", "308 Permanent Redirect"):
            for target in ("/api/v1/search/", None):
                server = self.server_of(lambda connection, request: scripted_http.redirect(
                    target or self.url + "/api/v1/search/", status)(connection, request), answers([]))
                found = Http(self.url, KEY).json("POST", "/api/v1/search", Deadline(PATIENT), {"query": "x"})
                self.assertEqual((found, len(server.requests)), ([], 2))
                self.assertEqual(server.requests[1].line, "POST /api/v1/search/ HTTP/1.1")
                self.assertEqual((server.requests[1].json(), server.requests[1].headers["x-api-key"]), ({"query": "x"}, KEY))

    def test_key_goes_to_no_other_server(self):
        other = self.serve(answers([]))
        for target in (other.url, "http://localhost:%d/" % other.port, "https://127.0.0.1/", "//127.0.0.1:%d/x" % other.port,
                       "http://user:word@127.0.0.1:%d/" % other.port, "ftp://127.0.0.1/", "", "\\\\x"):
            with self.subTest(target):
                failed = self.failure(scripted_http.redirect(target, "307 Temporary Redirect"))
                self.assertEqual(failed.status, 307)
                self.assertIn("redirects elsewhere", failed.message)
                self.assertEqual(len(self.server.requests), 1)
        self.assertEqual(other.requests, [])

    def test_circle_ends_after_two_hops(self):
        failed = self.failure(scripted_http.redirect("/api/v1/datasets/", "307 Temporary Redirect"))
        self.assertEqual((failed.status, len(self.server.requests)), (307, 3))

    def test_other_redirects_are_not_followed(self):
        for status in ("301 Moved Permanently", "302 Found", "303 See Other"):
            self.assertIn("redirects elsewhere", self.failure(scripted_http.redirect("/x", status)).message)
            self.assertEqual(len(self.server.requests), 1)

    def test_server_that_takes_itself_for_one_without_tls_is_asked_over_tls_again(self):
        self.trust()
        found = self.json(scripted_http.redirect("http://127.0.0.1/api/v1/datasets/", "307 Temporary Redirect"), answers([1]),
                          tls=True)
        self.assertEqual((found, self.server.requests[1].line), ([1], "GET /api/v1/datasets/ HTTP/1.1"))


class Understood(HttpTest):
    def test_nothing_found_is_told_apart_from_a_wrong_address(self):
        there = (scripted_cognee.NO_DATA[1], scripted_cognee.NOTHING_IN_1_0[1],
                 {"detail": "Dataset(s) not found: 'x'. [DatasetNotFoundError]"}, {"detail": "Data (1) not found in dataset (2)."})
        for content in there:
            self.assertIsInstance(self.failure(answers(content, "404 Not Found")), NotThere, content)
        for act in (answers({"detail": "Not Found"}, "404 Not Found"), raw(message(b"<html>", "404 Not Found")),
                    answers({"message": "no Route matched"}, "404 Not Found"), answers([], "404 Not Found")):
            failed = self.failure(act)
            self.assertNotIsInstance(failed, NotThere)
            self.assertIn("no Cognee server is at this address", failed.message)

    def test_refusal_is_confirmed_before_the_key_is_blamed(self):
        no, key = scripted_cognee.status(scripted_cognee.NO_PERMISSION), scripted_cognee.status(scripted_cognee.NO_KEY)
        busy = answers({"detail": "busy"}, "503 Service Unavailable")
        for second, kind, status in ((answers([]), NotThere, 403), (key, Failed, 401), (no, Failed, 403), (busy, Failed, 503)):
            failed = self.failure(no, second, path="/api/v1/search", method="POST", fields={})
            self.assertEqual((type(failed), failed.status), (kind, status))

    def test_used_up_credits_are_told_as_such(self):
        failed = self.failure(scripted_cognee.status(scripted_cognee.NO_CREDITS))
        self.assertEqual((failed.status, failed.message),
                         (402, "the credits of this Cognee account are used up (Your credits are exhausted.)"))

    def test_errors_in_all_four_shapes(self):
        for content, said in (({"detail": "busy"}, "busy"), ({"detail": [{"msg": "no query"}], "body": {}}, "no query"),
                              ({"error": "Internal server error", "detail": "query_vector"}, "Internal server error: query_vector"),
                              ({"error": "broken", "hint": "mend it"}, "broken: mend it"), ({}, "Service Unavailable")):
            self.assertEqual(self.failure(answers(content, "503 Service Unavailable")).message, said)

    def test_time_to_wait_is_told(self):
        failed = self.failure(answers({}, "429 Too Many Requests", [("Retry-After", "7")]))
        self.assertEqual((failed.status, failed.retry_after), (429, 7.0))

    def test_key_that_is_repeated_by_the_server_is_not_told(self):
        self.assertIn("[redacted]", self.failure(answers({"detail": "bad key " + KEY}, "401 Unauthorized")).message)

    def test_answer_that_is_no_json_is_a_failure_but_null_is_one(self):
        for body in (b"", b"<html>", b"nul"):
            self.assertEqual(self.failure(raw(message(body))).status, 200)
        self.assertIsNone(self.json(raw(message(b" null\n"))))


class Late(HttpTest):
    def test_server_that_hangs_cannot_stretch_the_deadline(self):
        slowly = scripted_http.trickle(message(json.dumps(["x" * 500]).encode()), 0.05)
        for act in (scripted_http.hang, slowly, scripted_http.after(60, answers([]))):
            started = time.monotonic()
            failed = self.failure(act, seconds=IMPATIENT)
            self.assertLess(time.monotonic() - started, GENEROUS)
            self.assertEqual(failed.status, 0)
            self.assertGreaterEqual(failed.duration, IMPATIENT * 0.9)
            self.assertIn("no answer within 0.4 s", failed.message)

    def test_endless_answer_is_cut_off(self):
        self.assertIn("longer than", self.failure(scripted_http.flood(60_000_000, length=False)).message)

    def test_server_that_is_down(self):
        self.server_of(answers([])).__exit__()
        with self.assertRaises(Failed) as caught:
            Http(self.url, KEY).json("GET", "/api/v1/datasets", Deadline(PATIENT))
        self.assertIn("refused", caught.exception.message)


if __name__ == "__main__":
    unittest.main()
