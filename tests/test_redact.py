"""Secrets vanish, what surrounds them stays, and whatever only looks like one is left alone (H1)."""

import json
import random
import time
import unittest

from memsift import redact
from memsift.secrets import signs
from tests.redact_forms import FORMS
from tests.redact_forms import UNCHANGED
from tests.redact_forms import VENDORS

MEGABYTE = 1_000_000
# Several times what a megabyte takes on a slow machine; in quadratic time it would be minutes.
SECONDS = 2.0
FEWER = 300_000

KEY_BEGINS = "-----BEGIN %sPRIVATE KEY-----" % "RSA "
KEY_ENDS = KEY_BEGINS.replace("BEGIN", "END")
LETTERS = "key=:\"'\\ \n\r@/-passwordtoken[redacted]a1B2%|&;,.(){}<>$#!`é\u0130\ud800\0"
PIECES = (
    "key", "token", "password", "=", ": ", " is ", "\"", "'", "\\", "\n", "\r\n", " ", "-----BEGIN ",
    "PRIVATE KEY", "-----", "://", "@", "eyJ", "sk-", redact.MARKER, "{", "}", "(", ")", "%3D", "&", ";", ",",
    "--", "|", ">", "0x41, ", "Bearer ", "cookie: ", "a1b2c3d4e5f6", "hunter2", "AKIA", "pass: |\n  ",
)
LINES = (
    "a", "A", " ", "\n", "\\", "\\n", "\"", "\"'\\ ", "key", "key=", "key= ", "key=1 ", "key=\"", "key='",
    "key=\\\"", "key: a\n", "the key is ", "password is a word ", "password for a b c d e ", "token(\"",
    "\"token\", \"", "password: 'a\n", "secret=", "API_KEY=abc123\n",
    "{\"password\": \"x1y2z3\", \"n\": 1},\n", "--api-key b ", "http://", "http://a:b@", "https://a.b/c?u=",
    "://a@", "://a:b/c", "%3a%2f%2f", "-", "-----BEGIN ", KEY_BEGINS + "\n", KEY_ENDS + "\n",
    KEY_BEGINS + "\nMIIEabcdabcdabcdabcdabcd\n", "sk-", "eyJ", "eyJaaaa.", "ghp_", "AKIA", "key-", "-us",
    ".a", "1234567890:AA", "$6$", "Bearer ", "cookie: a=b\n", "mysql -p ", "curl -u a:", "echo a | -stdin ",
    "key 0x00, ", "name: KEY\nvalue: ", "<password>", "password | ", "secret: |\n  a\n", "creds: a ",
    "login a password ", "é", "\u0130", "deadbeef01", "a.b.",
)


def mixtures(seed, count):
    """Texts put together from the table, from pieces that patterns begin with, and from letters."""
    chance = random.Random(seed)
    rows = [form[0] for form in FORMS] + list(UNCHANGED)
    for _ in range(count):
        joint = chance.choice(("\n", " ", "", ";", " and "))
        yield joint.join(chance.choice(rows) for _ in range(chance.randint(2, 5)))
        row = chance.choice(rows)
        at = chance.randint(0, len(row))
        yield row[:at] + "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 5))) + row[at:]
        yield "".join(chance.choice(LETTERS) for _ in range(chance.randint(5, 120)))


class Forms(unittest.TestCase):
    def test_the_secret_vanishes_and_the_rest_stays(self):
        for text, secret, keep in FORMS:
            with self.subTest(text):
                self.assertIn(secret, text)
                self.assertIn(keep, text)
                redacted = redact.redact(text)
                self.assertNotIn(secret, redacted)
                self.assertIn(keep, redacted)
                self.assertIn(redact.MARKER, redacted)

    def test_what_only_looks_like_a_secret_is_unchanged(self):
        for text in UNCHANGED:
            with self.subTest(text):
                self.assertEqual(redact.redact(text), text)

    def test_no_secret_of_the_table_stands_in_what_is_left_of_another_row(self):
        left = "\n".join(redact.redact(form[0]) for form in FORMS) + "\n".join(UNCHANGED)
        self.assertEqual([secret for _, secret, _ in FORMS if secret in left], [])

    def test_the_table_is_large_enough(self):
        self.assertGreaterEqual(len(FORMS), 120)
        self.assertGreaterEqual(len(UNCHANGED), 60)
        self.assertGreaterEqual(len(set(VENDORS)), 80)

    def test_names_stay_readable(self):
        for text, expected in (
            ("API_KEY=q7w8e9r0t1y2", "API_KEY=[redacted]"),
            ("postgres://shop:Vr7ka-BB21@host/db", "postgres://shop:[redacted]@host/db"),
            ("{\"token\": \"q7w8e9r0t1y2\"}", "{\"token\": \"[redacted]\"}"),
            ("Authorization: Bearer q7w8e9r0t1y2", "Authorization: Bearer [redacted]"),
            ("le mot de passe est Fr4nçais.", "le mot de passe est [redacted]."),
        ):
            with self.subTest(text):
                self.assertEqual(redact.redact(text), expected)

    def test_two_secrets_of_one_line_vanish_both(self):
        self.assertEqual(redact.redact("user a, password hunter2x, api key: q7w8e9r0t1y2."),
                         "user a, password [redacted], api key: [redacted].")

    def test_line_ends_of_windows_stay(self):
        self.assertEqual(redact.redact("A_TOKEN=q7w8e9r0\r\nPORT=80\r\n"),
        "A_TOKEN=[redacted]\r\nPORT=80\r\n")

    def test_a_secret_of_a_megabyte_vanishes_whole(self):
        self.assertEqual(redact.redact("SECRET=" + "a1B2" * 250_000 + " end"), "SECRET=[redacted] end")

    def test_a_key_cut_off_at_either_end(self):
        body = "\n".join(["MIIEabcd" * 8] * 3)
        for text, expected in (
            ("see %s\n%s" % (KEY_BEGINS, body), "see [redacted]"),
            ("%s\n%s\nbye" % (body, KEY_ENDS), "[redacted]\nbye"),
            ("a file starts with %s and ends with %s" % (KEY_BEGINS, KEY_ENDS), None),
        ):
            with self.subTest(text):
                self.assertEqual(redact.redact(text), text if expected is None else expected)


class Again(unittest.TestCase):
    def test_redacting_again_changes_nothing(self):
        for text in [form[0] for form in FORMS] + list(mixtures(1, 700)):
            redacted = redact.redact(text)
            self.assertEqual(redact.redact(redacted), redacted, repr(text))

    def test_the_quick_look_misses_nothing(self):
        texts = list(mixtures(2, 500))
        quick = [redact.redact(text) for text in texts]
        looks = signs.may_name, signs.has_block
        self.addCleanup(lambda: [setattr(signs, look.__name__, look) for look in looks])
        signs.may_name = signs.has_block = lambda text: True
        for text, expected in zip(texts, quick):
            self.assertEqual(redact.redact(text), expected, repr(text))


class Time(unittest.TestCase):
    def assert_quick(self, name, text):
        began = time.process_time()
        redact.redact(text)
        self.assertLess(time.process_time() - began, SECONDS * len(text) / MEGABYTE, name)

    def test_a_megabyte_of_the_worst_known_lines(self):
        for line in ("a", "\"'\\ ", "key=", "http://", "-----BEGIN ", "pwd=a1b2 ", "API_KEY=abc123\n"):
            self.assert_quick(repr(line), line * (MEGABYTE // len(line)))

    def test_long_texts_of_any_line(self):
        for line in LINES:
            self.assert_quick(repr(line), line * (FEWER // len(line)))

    def test_one_beginning_and_then_anything(self):
        for begin in ("key=\"", "password: ", KEY_BEGINS + "\n", "://a:", "cookie: a=",
        "secret: |\n"):
            for line in ("a", "\\\"", "a1B2", "MIIEabcdabcdabcd\n", "  a\n"):
                self.assert_quick(repr(begin + line), begin + line * (FEWER // len(line)))

    def test_a_megabyte_of_base64_and_of_every_form(self):
        chance = random.Random(3)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        self.assert_quick("base64", "".join(chance.choices(letters, k=MEGABYTE)))
        forms = "\n".join(form[0] for form in FORMS)
        self.assert_quick("forms", forms * (MEGABYTE // len(forms)))


class Values(unittest.TestCase):
    def test_texts_at_any_depth(self):
        value = {"a": [{"text": "API_KEY=q7w8e9r0t1y2"}, 7, None, True, 1.5], "b": "plain"}
        self.assertEqual(redact.redact_value(value),
                         {"a": [{"text": "API_KEY=[redacted]"}, 7, None, True, 1.5], "b": "plain"})

    def test_what_a_key_promises_is_redacted_whole(self):
        for key in ("password", "apiKey", "client_secret", "DB_PASSWORD", "accessToken", "Passwort",
        "mot de passe"):
            with self.subTest(key):
                self.assertEqual(redact.redact_value({key: "correct4 horse\nbattery"}), {key: redact.MARKER})
                self.assertEqual(redact.redact_value({key: "q7w8e9r0\"t1\\y2"}), {key: redact.MARKER})
                self.assertEqual(redact.redact_value({key: "7712"}), {key: redact.MARKER})
                self.assertEqual(redact.redact_value({key: "this is the word"}), {key: redact.MARKER})
                self.assertEqual(redact.redact_value({key: ["q7w8e9r0t1y2"]}), {key: [redact.MARKER]})

    def test_numbers(self):
        self.assertEqual(redact.redact_value({"password": 771234, "tokens": 4096, "token": 12, "key": 3,
        "pin": False}),
                         {"password": redact.MARKER, "tokens": 4096, "token": 12, "key": 3, "pin": False})

    def test_keys_that_promise_nothing(self):
        value = {"token_count": "512", "primary_key": "id", "key": "created_at", "password": None,
        "secret": "",
                 "token": "$ACME_TOKEN", "auth": "oauth2", "session": "0f3d8a51-77c2-4b0e-9d1e-2f6d4c1be001",
                 "estimated_tokens": 12, "turn": "3a4003bc/aa879b9f", "id": "k7f3a09b2c"}
        self.assertEqual(redact.redact_value(value), value)

    def test_a_name_beside_its_value(self):
        self.assertEqual(redact.redact_value([{"name": "DB_PASSWORD", "value": "bluebottle"}]),
                         [{"name": "DB_PASSWORD", "value": redact.MARKER}])

    def test_a_secret_as_a_key(self):
        first, second = VENDORS[:2]
        redacted = redact.redact_value({first: 1, second: 2, "c": 3})
        self.assertEqual(sorted(redacted.values()), [1, 2, 3])
        self.assertNotIn(first, str(redacted))
        self.assertNotIn(second, str(redacted))

    def test_every_form_inside_a_value_is_valid_json_afterwards(self):
        for text, secret, keep in FORMS:
            redacted = redact.redact_value({"turn": {"prompt": text, "files": [text]}})
            self.assertEqual(json.loads(json.dumps(redacted)), redacted)
            self.assertNotIn(secret, redacted["turn"]["prompt"])
            self.assertIn(keep, redacted["turn"]["prompt"])
            self.assertEqual(redact.redact_value(redacted), redacted)

    def test_deeper_than_anybody_nests(self):
        value = "API_KEY=q7w8e9r0t1y2"
        for _ in range(900):
            value = [value]
        self.assertNotIn("q7w8e9r0t1y2", json.dumps(redact.redact_value(value)))

    def test_the_given_value_is_not_changed(self):
        value = {"password": "q7w8e9r0t1y2", "list": ["API_KEY=q7w8e9r0t1y2"]}
        before = json.dumps(value)
        redact.redact_value(value)
        self.assertEqual(json.dumps(value), before)


if __name__ == "__main__":
    unittest.main()
