import unittest

from memsift.remote import place

NO_SERVICE = (
    "", "openrouter.ai", "ftp://judge.acme-shop.example/", "http://", "http:///x", "https://:443/",
    "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:80a/", "http://[::1/",
    "http://.acme-shop.example/", "http://a b/", "http://jugé.example/", "http://127.0.0.1/#part",
    "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/x\n", "http://127.0.0.1\\@other/", "\thttp://127.0.0.1/")


class Addresses(unittest.TestCase):
    def test_parts_of_a_complete_url(self):
        rows = (
            ("https://openrouter.ai/api/v1/systemone", True, "openrouter.ai", "openrouter.ai:443", "/api/v1/systemone"),
            ("HTTP://Judge.Example:8080", False, "judge.example:8080", "judge.example:8080", "/"),
            ("http://a_b/?x=1&y=%20", False, "a_b", "a_b:80", "/?x=1&y=%20"),
            ("https://a.example?x=/", True, "a.example", "a.example:443", "/?x=/"),
            ("http://[2001:DB8::7]:81/x@y", False, "[2001:db8::7]:81", "[2001:db8::7]:81", "/x@y"),
            ("https://[::1]:443/", True, "[::1]", "[::1]:443", "/"),
        )
        for url, is_tls, header, authority, path in rows:
            with self.subTest(url):
                found = place.service(url)
                self.assertEqual((found.is_tls, found.header), (is_tls, header))
                self.assertEqual((found.authority, found.path), (authority, path))

    def test_this_machine_is_known_in_every_form(self):
        for host in ("localhost", "LOCALHOST.", "jev.localhost", "127.0.0.1", "127.9.9.9", "127.1", "2130706433",
                     "0x7f.1", "0.0.0.0", "[::1]", "[0:0::1]", "[::]"):
            with self.subTest(host):
                self.assertTrue(place.service("http://%s/" % host).is_loopback)
        for host in ("localhost.example", "notlocalhost", "128.0.0.1", "127.example", "[2001:db8::1]", "0.0.0.1"):
            with self.subTest(host):
                self.assertFalse(place.service("http://%s/" % host).is_loopback)

    def test_anything_but_a_complete_url_is_refused_and_not_repeated(self):
        for url in NO_SERVICE:
            with self.subTest(url), self.assertRaisesRegex(ValueError, "^the service's address must be a complete URL"):
                place.service(url)

    def test_user_and_password_are_refused_and_not_repeated(self):
        for user in ("user:hunter2", "user", ":", "", "a@b:c", "hunter2@"):
            with self.subTest(user), self.assertRaises(ValueError) as caught:
                place.service("https://%s@judge.acme-shop.example/" % user)
            self.assertIn("must not hold a user or a password", str(caught.exception))
            self.assertNotIn("hunter2", str(caught.exception))
