import contextlib
import socket
from unittest import mock

from memsift.remote import transport
from tests import scripted_http
from tests.remote.test_transport import IMPATIENT
from tests.remote.test_transport import OK
from tests.remote.test_transport import TransportTest
from tests.scripted_http import REMOTE
from tests.scripted_http import message
from tests.scripted_http import raw


class Proxied(TransportTest):
    def proxy(self, *script):
        server = self.serve(*script)
        return server, "http://127.0.0.1:%d" % server.port

    def test_https_goes_through_a_tunnel_in_which_the_proxy_sees_no_key(self):
        server, address = self.proxy(scripted_http.tunnel(scripted_http.answers(OK)))
        path = scripted_http.write_certificate(self.folder)
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            with self.subTest(name):
                self.set_environment(SSL_CERT_FILE=path, **{name: address.replace("//", "//user:p%40ss@")})
                self.assertEqual(self.post("https://%s/api/v1/systemone" % REMOTE).status, 200)
                connect, inner = server.requests[-2:]
                self.assertEqual(connect.line, "CONNECT %s:443 HTTP/1.1" % REMOTE)
                self.assertEqual(connect.headers["proxy-authorization"], "Basic dXNlcjpwQHNz")
                self.assertNotIn("authorization", connect.headers)
                self.assertEqual((inner.line, inner.headers["host"]), ("POST /api/v1/systemone HTTP/1.1", REMOTE))
                self.assertNotIn("proxy-authorization", inner.headers)

    def test_http_names_the_whole_url_to_the_proxy(self):
        server, address = self.proxy(scripted_http.answers(OK))
        self.set_environment(http_proxy=address[len("http://"):])
        self.assertEqual(self.post("http://%s:8080/x?y" % REMOTE).status, 200)
        request, = server.requests
        self.assertEqual(request.line, "POST http://%s:8080/x?y HTTP/1.1" % REMOTE)
        self.assertEqual(request.headers["host"], REMOTE + ":8080")

    def test_this_machine_is_never_reached_through_a_proxy(self):
        proxy, address = self.proxy(scripted_http.answers(OK))
        server = self.serve(scripted_http.answers(OK))
        self.set_environment(HTTP_PROXY=address, HTTPS_PROXY=address, ALL_PROXY=address)
        for host in ("127.0.0.1", "localhost", "127.1"):
            self.assertEqual(self.post("http://%s:%d/" % (host, server.port)).status, 200)
        self.fails("http://[::1]:1/", "failed")
        self.assertEqual((proxy.connections, len(server.requests)), (0, 3))

    def test_no_proxy_exempts_hosts_domains_ports_and_networks(self):
        proxy, address = self.proxy(scripted_http.answers(OK))
        rows = (("*", REMOTE, True), (REMOTE, REMOTE, True), ("a.example, acme-shop.example", REMOTE, True),
                (".acme-shop.example", REMOTE, True), ("*.acme-shop.example", REMOTE, True),
                ("shop.example", REMOTE, False), ("", REMOTE, False), (",.", REMOTE, False),
                (REMOTE + ":1", REMOTE, True), (REMOTE + ":2", REMOTE, False),
                ("192.0.2.0/24", "192.0.2.7", True), ("192.0.2.0/24", "198.51.100.1", False),
                ("192.0.2.0/99", "192.0.2.7", False), ("192.0.2.7", "192.0.2.7", True),
                ("2001:db8::7", "[2001:db8::7]", True), ("[2001:db8::7]:1", "[2001:db8::7]", True))
        for exempt, host, direct in rows:
            with self.subTest((exempt, host)):
                self.set_environment(HTTP_PROXY=address, NO_PROXY=exempt)
                before = len(proxy.requests)
                with self.names([(socket.AF_INET, ("127.0.0.1", 1))]), contextlib.suppress(transport.NoAnswer):
                    with _nothing_outside():
                        self.post("http://%s:1/" % host)
                self.assertEqual(len(proxy.requests) == before, direct)

    def test_empty_variable_in_lower_case_switches_the_proxy_off(self):
        proxy, address = self.proxy(scripted_http.answers(OK))
        self.set_environment(http_proxy="", HTTP_PROXY=address, ALL_PROXY=address)
        with self.names([(socket.AF_INET, ("127.0.0.1", 1))]):
            self.fails("http://%s/" % REMOTE, "refused")
        self.assertEqual(proxy.connections, 0)

    def test_proxy_that_refuses_breaks_off_or_hangs_is_named(self):
        unknown = raw(message(b"", "407 Proxy Authentication Required"))
        rows = ((unknown, "refused a connection to %s:443 with status 407" % REMOTE),
                (raw(b"garbage\r\n\r\n"), "refused"), (raw(b""), "broke off"), (raw(b"x" * 200_000), "broke off"),
                (scripted_http.hang, "no answer"), (scripted_http.trickle(b"HTTP/1.1 200 OK\r\n\r\n"), "no answer"))
        for act, words in rows:
            with self.subTest(words):
                server, address = self.proxy(act)
                self.set_environment(HTTPS_PROXY=address.replace("//", "//user:secret-word@"))
                with self.assertRaises(transport.NoAnswer) as caught:
                    self.post("https://%s/" % REMOTE, seconds=IMPATIENT)
                self.assertIn(words, str(caught.exception))
                self.assertIn("127.0.0.1:%d" % server.port, str(caught.exception))
                self.assertNotIn("secret-word", str(caught.exception))

    def test_proxy_of_a_kind_that_is_not_spoken_is_told_plainly(self):
        for address in ("socks5://127.0.0.1:1080", "https://127.0.0.1:3128", "http://a b"):
            with self.subTest(address):
                self.set_environment(ALL_PROXY=address)
                self.fails("https://%s/" % REMOTE, "the proxy in ALL_PROXY must be a URL that begins with http://")


@contextlib.contextmanager
def _nothing_outside():
    """Connections to documentation addresses are refused at once, on a machine without the suite's guard as well."""
    with mock.patch.object(transport, "_dial_one", side_effect=_dial_here):
        yield


def _dial_here(family, address, seconds, dial=transport._dial_one):
    if address[0] != "127.0.0.1":
        raise ConnectionRefusedError(111, "Connection refused")
    return dial(family, address, seconds)
