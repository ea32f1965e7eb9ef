"""The client against real System One servers: their answers differ in all that the format leaves open."""

from __future__ import annotations

import os
import unittest

from memsift.deadline import Deadline
from memsift.remote import systemone
from memsift.remote.service import Failed
from memsift.remote.systemone import Client
from tests.live import systemone_programs

MODEL = "typesafe/jev-1.13"
STATE = {"prompt": "Où en est le paiement 🛒 ? Which payment provider did we choose?", "recent": ["Hello", "Hi."]}
OPTIONS = {"payments": "It is about taking money.", "delivery": "It is about sending parcels.", "none": "Neither."}
NOTES = 60
KEY = "acme-shop-" + "loopback"


class ServerTests:
    """What is asked of each server."""

    name = ""

    def setUp(self) -> None:
        if os.environ.get("MEMSIFT_LIVE") != "1":
            self.skipTest("live test: runs with MEMSIFT_LIVE=1")

    def start(self, key: str = "") -> str:
        """The URL of the server, which runs until the end of the test."""
        server = systemone_programs.running(self.name, key)
        try:
            url = server.__enter__()
        except systemone_programs.Unavailable as error:
            self.skipTest(str(error))
        self.addCleanup(server.__exit__, None, None, None)
        return url

    def test_one_request_with_a_choice_and_many_nouls(self) -> None:
        asked = "Would note %d about PayCo answer `prompt`?"
        questions = {"note %d" % number: systemone.noul(asked % number, "It states the answer.", "It does not.")
                     for number in range(NOTES)}
        questions["kind"] = systemone.choice("What is `prompt` about?", OPTIONS)
        client = Client(self.start(), model=MODEL)
        for _ in range(2):
            answers = client.ask(STATE, questions, Deadline(30))
            for number in range(NOTES):
                self.assertTrue(0 <= answers.noul("note %d" % number) <= 1)
            kinds = answers.choice("kind", list(OPTIONS))
            self.assertEqual(list(kinds), list(OPTIONS))
            self.assertAlmostEqual(sum(kinds.values()), 1)
            self.assertTrue(answers.model)
            self.assertIsInstance(answers.input_tokens, int)
            self.assertLess(answers.duration, 30)

    def test_refused_request_tells_why(self) -> None:
        with self.assertRaises(Failed) as caught:
            riddle = {"a": {"type": "riddle", "instructions": "What am I?"}}
            Client(self.start(), model=MODEL).ask(STATE, riddle, Deadline(30))
        self.assertIn(caught.exception.status, (400, 422))
        self.assertGreater(len(caught.exception.message), 10)

    def test_path_that_is_not_served_is_a_plain_failure(self) -> None:
        with self.assertRaises(Failed) as caught:
            Client(self.start() + "/nowhere", model=MODEL).ask(STATE, {}, Deadline(30))
        self.assertIn(caught.exception.status, (404, 405))


class SparrowDeciderTest(ServerTests, unittest.TestCase):
    name = "sparrow-decider"


class DevDoubleTest(ServerTests, unittest.TestCase):
    name = "dev-double"


class LlamaTest(ServerTests, unittest.TestCase):
    name = "llama.cpp"

    def test_key_is_asked_for(self) -> None:
        url = self.start(KEY)
        questions = {"kind": systemone.choice("What is `prompt` about?", OPTIONS)}
        Client(url, KEY).ask(STATE, questions, Deadline(30)).choice("kind", list(OPTIONS))
        for key in ("", KEY + "x"):
            with self.assertRaises(Failed) as caught:
                Client(url, key).ask(STATE, questions, Deadline(30))
            self.assertEqual((caught.exception.status, caught.exception.message), (401, "Invalid API Key"))
