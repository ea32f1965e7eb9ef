import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from memsift.deadline import Deadline
from memsift.remote import transport
from tests import scripted_http
from tests.scripted_http import REMOTE
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import message
from tests.scripted_http import raw
from tests.support import ROOT

OK = {"answers": {"a": {"type": "noul", "noul": 0.96}}}
KEY = "key-of-acme-shop"
PATIENT, IMPATIENT, GENEROUS = 20.0, 0.4, 5.0


class TransportTest(unittest.TestCase):
    """Tests with an environment that names no proxy and no certificates, and a folder of their own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="memsift-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.set_environment()

    def set_environment(self, **variables):
        patch = mock.patch.dict(os.environ, {"PATH": os.environ["PATH"], **variables}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def serve(self, *script, tls=False):
        server = ScriptedHttp(*script, tls=tls)
        self.addCleanup(server.__exit__)
        return server.__enter__()

    def trust(self):
        self.set_environment(SSL_CERT_FILE=scripted_http.write_certificate(self.folder))

    def post(self, url, seconds=PATIENT, headers=None, body=b"{}", limit=2_000_000):
        return transport.post(url, {"Authorization": "Bearer " + KEY} if headers is None else headers, body,
                              Deadline(seconds), limit)

    def fails(self, url, words, seconds=PATIENT, **more):
        """The post raises NoAnswer with these words, in one line without the key."""
        with self.assertRaises(transport.NoAnswer) as caught:
            self.post(url, seconds, **more)
        text = str(caught.exception)
        self.assertIn(words, text)
        self.assertNotIn(KEY, text)
        self.assertNotIn("\n", text)

    def fails_in_time(self, url, words="no answer within 0.4 s"):
        started = time.monotonic()
        self.fails(url, words, IMPATIENT)
        self.assertLess(time.monotonic() - started, GENEROUS)

    @contextlib.contextmanager
    def names(self, addresses):
        """Within, every name has these addresses: family and numeric address."""
        found = [(family, socket.SOCK_STREAM, 6, "", address) for family, address in addresses]
        with mock.patch.object(socket, "getaddrinfo", return_value=found):
            yield


class Answered(TransportTest):
    def test_request_is_one_plain_post_with_exactly_what_was_given(self):
        server = self.serve(scripted_http.answers(OK))
        body = "{\"prompt\": \"où est PayCo ?\"}".encode("utf-8")
        self.assertEqual(self.post(server.url + "?x=1", body=body).status, 200)
        request, = server.requests
        self.assertEqual((request.line, request.body), ("POST /v1/systemone?x=1 HTTP/1.1", body))
        self.assertEqual(request.headers, {
            "host": "127.0.0.1:%d" % server.port, "connection": "close", "accept-encoding": "identity",
            "content-length": str(len(body)), "authorization": "Bearer " + KEY})

    def test_other_methods_send_what_they_have(self):
        for method, body in (("GET", b""), ("DELETE", b""), ("PUT", b"{}")):
            server = self.serve(scripted_http.answers(OK))
            response = transport.send(method, server.url, {"X-Api-Key": KEY}, body, Deadline(PATIENT))
            request, = server.requests
            self.assertEqual((response.status, request.line, request.body), (200, method + " /v1/systemone HTTP/1.1", body))
            self.assertEqual("content-length" in request.headers, bool(body))

    def test_answer_in_any_framing_is_read_whole(self):
        length = message(b'{"answers": {}}', headers=[("Retry-After", "3")])
        rows = {
            "with length": (raw(length), b'{"answers": {}}'),
            "without length": (raw(message(b"{}", length=False)), b"{}"),
            "HTTP/1.0": (scripted_http.http10({}), b"{}"),
            "chunked": (scripted_http.chunked({"answers": {}}), b'{"answers": {}}'),
            "byte by byte": (scripted_http.trickle(length, 0.0001), b'{"answers": {}}'),
            "after 100 Continue": (raw(b"HTTP/1.1 100 Continue\r\n\r\n" + length), b'{"answers": {}}'),
            "nothing": (raw(b"HTTP/1.1 204 No Content\r\n\r\n"), b""),
            "bytes after its end": (raw(length + b"more"), b'{"answers": {}}'),
        }
        for name, (act, body) in rows.items():
            with self.subTest(name):
                self.assertEqual(self.post(self.serve(act).url).body, body)

    def test_status_reason_and_headers_are_told(self):
        server = self.serve(raw(message(b"busy", "429 Too Many Requests", [("ReTry-AFTER", "3")])))
        response = self.post(server.url)
        self.assertEqual((response.status, response.reason, response.headers["retry-after"], response.body),
                         (429, "Too Many Requests", "3", b"busy"))

    def test_answer_that_comes_before_the_request_was_read_counts(self):
        with _early_answer(message(b"{}", "413 Payload Too Large")) as port:
            self.assertEqual(self.post("http://127.0.0.1:%d/" % port, body=b"x" * 3_000_000).status, 413)

    def test_redirect_is_an_answer_and_nothing_is_sent_to_the_other_place(self):
        other = self.serve(scripted_http.answers(OK))
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"):
            with self.subTest(status):
                server = self.serve(scripted_http.redirect(other.url, status))
                self.assertEqual(self.post(server.url).status, int(status[:3]))
        self.assertEqual((other.connections, other.requests), (0, []))

    def test_localhost_by_any_name_and_in_any_form_needs_no_looking_up(self):
        server = self.serve(scripted_http.answers(OK))
        with mock.patch.object(socket, "getaddrinfo", side_effect=AssertionError("looked up")):
            for host in ("localhost", "LocalHost", "jev.localhost", "127.0.0.1", "127.1", "0.0.0.0"):
                with self.subTest(host):
                    self.assertEqual(self.post("HTTP://%s:%d" % (host, server.port)).status, 200)

    def test_next_address_is_tried_when_one_refuses(self):
        server = self.serve(scripted_http.answers(OK))
        with self.names([(socket.AF_INET, ("127.0.0.1", 1)), (socket.AF_INET, ("127.0.0.1", server.port))]):
            self.assertEqual(self.post("http://%s/" % REMOTE).status, 200)

    def test_address_that_never_answers_leaves_time_for_the_next(self):
        server = self.serve(scripted_http.answers(OK))
        with _full_listener() as deaf:
            with self.names([(socket.AF_INET, deaf), (socket.AF_INET, ("127.0.0.1", server.port))]):
                self.assertEqual(self.post("http://%s/" % REMOTE, seconds=2.0).status, 200)


class NotAnswered(TransportTest):
    def test_whatever_takes_too_long_ends_at_the_deadline(self):
        whole = message(b"{}")
        rows = {
            "hangs": scripted_http.hang,
            "a byte a second": scripted_http.trickle(whole),
            "a byte each 20 ms": scripted_http.trickle(whole * 100, 0.02),
            "body hangs": lambda connection, request: connection.send(whole[:-1]) or connection.wait(),
            "chunk hangs": lambda connection, request: connection.send(
                message(b"5\r\nab", headers=[("Transfer-Encoding", "chunked")], length=False)) or connection.wait(),
        }
        for name, act in rows.items():
            with self.subTest(name):
                self.fails_in_time(self.serve(act).url)

    def test_server_that_accepts_nothing_or_reads_nothing_ends_at_the_deadline(self):
        with _full_listener() as (host, port):
            self.fails_in_time("http://%s:%d/" % (host, port))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            started = time.monotonic()
            url = "http://127.0.0.1:%d/" % listener.getsockname()[1]
            self.fails(url, "no answer", IMPATIENT, body=b"x" * 50_000_000)
            self.assertLess(time.monotonic() - started, GENEROUS)

    def test_handshake_that_hangs_ends_at_the_deadline(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.fails_in_time("https://127.0.0.1:%d/" % listener.getsockname()[1])

    def test_look_up_that_hangs_ends_at_the_deadline(self):
        over = threading.Event()
        self.addCleanup(over.set)
        with mock.patch.object(socket, "getaddrinfo", side_effect=lambda *_: [over.wait(30)][1:]):
            self.fails_in_time("http://%s/" % REMOTE)

    def test_deadline_that_has_passed_connects_to_nothing(self):
        server = self.serve(scripted_http.answers(OK))
        self.fails(server.url, "no answer", seconds=0.0)
        self.assertEqual(server.requests, [])

    def test_answer_that_is_too_long_is_not_read_to_its_end(self):
        chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
        rows = {
            "says so": scripted_http.flood(100_000_000),
            "does not say so": scripted_http.flood(100_000_000, length=False),
            "one too many": raw(message(b"x" * 50_001, length=False)),
            "chunked": raw(message(chunk * 20, headers=[("Transfer-Encoding", "chunked")], length=False)),
            "one endless chunk": raw(message(b"FFFFFFFFFFFF\r\n" + b"x" * 400_000, length=False,
                                             headers=[("Transfer-Encoding", "chunked")])),
            "claims more than memory holds": raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % 10 ** 15),
            "head without end": raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90 + b"Z: " + b"z" * 400_000),
            "100 Continue without end": raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 30_000),
        }
        for name, act in rows.items():
            with self.subTest(name):
                with self.assertRaises(transport.NoAnswer):
                    self.post(self.serve(act).url, limit=50_000)
        server = self.serve(scripted_http.flood(100_000_000, length=False))
        self.fails(server.url, "longer than 50000 bytes", limit=50_000)
        self.assertEqual(len(self.post(self.serve(raw(message(b"x" * 50_000))).url, limit=50_000).body), 50_000)

    def test_answer_that_breaks_off_is_none(self):
        rows = {
            "at once": raw(b""),
            "in the status line": raw(b"HTTP/1.1 20"),
            "in the body": scripted_http.cut(OK),
            "in a chunk": raw(message(b"50\r\n{}", headers=[("Transfer-Encoding", "chunked")], length=False)),
            "between chunks": raw(message(b"2\r\n{}\r\n", headers=[("Transfer-Encoding", "chunked")], length=False)),
        }
        for name, act in rows.items():
            with self.subTest(name), self.assertRaises(transport.NoAnswer):
                self.post(self.serve(act).url)
        self.fails(self.serve(scripted_http.cut(OK)).url, "closed the connection before its answer was complete")

    def test_what_is_no_http_is_refused(self):
        rows = (b"\x00\xff\x16\x03 garbage" * 50, b"220 mail.acme-shop.example ready\r\n", b"HTTP/1.1 abc OK\r\n\r\n",
                b"\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n", b"{}",
                message(b"-5\r\n{}", headers=[("Transfer-Encoding", "chunked")], length=False),
                message(b"zz\r\n{}", headers=[("Transfer-Encoding", "chunked")], length=False))
        for data in rows:
            with self.subTest(data[:40]), self.assertRaises(transport.NoAnswer):
                self.post(self.serve(raw(data)).url)

    def test_compressed_answer_is_refused(self):
        self.fails(self.serve(scripted_http.gzipped(OK)).url, "compressed")

    def test_refused_connection_and_unknown_name_are_told_apart(self):
        self.fails("http://127.0.0.1:1/", "127.0.0.1:1 failed: Connection refused")
        with mock.patch.object(socket, "getaddrinfo", side_effect=socket.gaierror(-2, "Name or service not known")):
            self.fails("http://%s/" % REMOTE, "Name or service not known")

    def test_address_that_is_refused_is_not_repeated(self):
        for url in ("openrouter.ai/" + KEY, "https://user:%s@127.0.0.1/" % KEY, "http://127.0.0.1/\r\nX: " + KEY):
            with self.subTest(url):
                self.fails(url, "the service's address must")

    def test_header_that_would_begin_another_line_is_refused_before_anything_is_sent(self):
        server = self.serve(scripted_http.answers(OK))
        for headers in ({"Authorization": "Bearer %s\r\nX: y" % KEY}, {"Authorization": "Bearer %s\n" % KEY},
                        {"Authorization": "Bearer é" + KEY}, {"X\r\nY": "z"}, {"X: y": "z"}, {"": "z"}, {"X": "a\x00"}):
            with self.subTest(headers):
                self.fails(server.url, "header", headers=headers)
        self.assertEqual(server.connections, 0)


class Secured(TransportTest):
    def test_certificate_of_a_private_authority_is_trusted_where_a_usual_variable_names_it(self):
        path = scripted_http.write_certificate(self.folder)
        server = self.serve(scripted_http.answers(OK), tls=True)
        self.fails(server.url, "not trusted")
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
            with self.subTest(name):
                self.set_environment(**{name: path})
                self.assertEqual(self.post(server.url).status, 200)
        self.assertEqual(len(server.requests), 4)

    def test_variable_that_names_no_certificates_does_no_harm(self):
        server = self.serve(scripted_http.answers(OK), tls=True)
        empty = os.path.join(self.folder, "empty.pem")
        open(empty, "wb").close()
        for path in (empty, self.folder, os.path.join(self.folder, "none")):
            with self.subTest(path):
                trusted = scripted_http.write_certificate(self.folder)
                self.set_environment(NODE_EXTRA_CA_CERTS=path, SSL_CERT_FILE=trusted)
                self.assertEqual(self.post(server.url).status, 200)

    def test_certificate_for_another_name_is_refused(self):
        self.trust()
        server = self.serve(scripted_http.answers(OK), tls=True)
        with self.names([(socket.AF_INET, ("127.0.0.1", server.port))]):
            self.assertEqual(self.post("https://%s/" % REMOTE).status, 200)
            self.fails("https://other.acme-shop.example/", "not trusted")
        self.assertEqual(len(server.requests), 1)

    def test_server_that_speaks_no_tls_is_told_plainly(self):
        with _early_answer(message(b"", "400 Bad Request")) as port:
            self.fails("https://127.0.0.1:%d/" % port, "failed")

    def test_large_body_and_slow_answer_work_over_tls(self):
        self.trust()
        server = self.serve(scripted_http.after(0.05, scripted_http.chunked(OK)), scripted_http.hang, tls=True)
        self.assertEqual(self.post(server.url, body=b"x" * 1_000_000).status, 200)
        self.assertEqual(len(server.requests[0].body), 1_000_000)
        self.fails_in_time(server.url)


class Loaded(TransportTest):
    def test_what_parses_answers_is_loaded_only_after_the_request_was_sent(self):
        self.assertEqual(self.modules_before_sending(self.serve(scripted_http.answers(OK)).url), ["socket"])

    def test_tls_is_loaded_for_https_alone_and_certificates_are_named_in_an_isolated_interpreter_too(self):
        self.trust()
        server = self.serve(scripted_http.answers(OK), tls=True)
        self.assertEqual(self.modules_before_sending(server.url), ["socket", "ssl"])

    def modules_before_sending(self, url):
        script = os.path.join(self.folder, "spy.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(_SPY)
        done = subprocess.run([sys.executable, "-I", "-S", "-X", "utf8", script, ROOT, url], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, env=dict(os.environ), check=False)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()


_SPY = """
import sys
sys.path.insert(0, sys.argv[1])
from memsift.deadline import Deadline
from memsift.remote import transport
HEAVY = ("socket", "ssl", "threading", "http", "http.client", "urllib.parse", "email", "encodings.idna")
send, loaded = transport._send, []
def spy(*arguments):
    send(*arguments)
    loaded.extend(name for name in HEAVY if name in sys.modules)
transport._send = spy
assert transport.post(sys.argv[2], {}, b"{}", Deadline(20)).status == 200
print(*loaded)
"""


@contextlib.contextmanager
def _early_answer(data):
    """The port of a server that answers its first connection before it reads anything."""
    def answer():
        connection, _ = listener.accept()
        with connection, contextlib.suppress(ConnectionResetError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


@contextlib.contextmanager
def _full_listener():
    """An address that takes no connection and refuses none: its queue is full."""
    with socket.socket() as listener, contextlib.ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()
