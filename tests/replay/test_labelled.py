import copy
import json
import unittest

from memsift.replay import labelled
from memsift.replay.recording import BadRecording
from tests.replay import acme_shop


class LabelledTest(unittest.TestCase):

    def setUp(self):
        with open(acme_shop.FILE, encoding="utf-8") as file:
            self.conversation = json.load(file)

    def read(self, conversation=None):
        return labelled.read("shop.json", conversation or self.conversation)

    def test_reads_turns_in_order(self):
        recording = self.read()
        self.assertEqual(recording.project, "Acme Shop")
        self.assertEqual([(session.id, session.host, len(session.turns)) for session in recording.sessions],
                         [("s1", "claude-code", 3), ("s2", "codex", 3), ("s3", "claude-code", 2)])
        first = recording.turns[0]
        self.assertEqual([(step.kind, step.text) for step in first.steps], [
            ("prompt", "We go with PayCo for payments, its fees are lower for small carts."),
            ("edit", "README.md"), ("command", "git commit -am 'Choose PayCo'"),
            ("said", "Noted in the README: PayCo, for its lower fees.")])
        self.assertEqual((first.gold.keep, first.gold.needs), ("keep", []))
        tests = recording.turns[2].steps[1]
        self.assertEqual((tests.ok, tests.output), (False, "1 failed"))

    def test_the_date_before_a_long_term_entry_is_its_date(self):
        entries = self.read().entries
        self.assertEqual([(entry.id, entry.date, entry.text[:12], entry.place) for entry in entries],
                         [("c1", "2025-09-11", "Stock counts", "archive"), ("c2", "", "2025-10: The", "archive")])

    def test_labels_may_be_absent(self):
        for session in self.conversation["sessions"]:
            for turn in session["turns"]:
                del turn["gold"]
        self.assertFalse(self.read().is_labelled)

    def test_says_where_a_conversation_is_not_as_it_should_be(self):
        def change(path, value):
            changed = copy.deepcopy(self.conversation)
            *parents, last = path
            place = changed
            for key in parents:
                place = place[key]
            place[last] = value
            return changed
        turn = ("sessions", 1, "turns", 2)
        cases = (
            (("sessions",), {}, "the file: 'sessions'"),
            (("sessions", 0, "host"), "other", "session 1: the host 'other'"),
            (("sessions", 0, "day"), "yesterday", "session 1: the day 'yesterday'"),
            (("sessions", 1, "turns"), [1], "session 2: 'turns'"),
            (turn + ("prompt",), " ", "session 2, turn 3: 'prompt'"),
            (turn + ("answer",), 5, "session 2, turn 3: 'answer'"),
            (turn + ("tools",), "x", "session 2, turn 3: 'tools'"),
            (turn + ("gold",), "keep", "session 2, turn 3: 'gold'"),
            (turn + ("gold", "needs"), "s1t1", "session 2, turn 3: 'needs'"),
            (turn + ("id",), "s1t1", "the id 's1t1' stands there twice"),
            (turn + ("id",), "s2 t3", "the id 's2 t3' must be"),
            (("cognee", 0, "text"), None, "cognee entry 1: 'text'"),
        )
        for path, value, complaint in cases:
            with self.subTest(complaint):
                with self.assertRaises(BadRecording) as caught:
                    self.read(change(path, value))
                self.assertTrue(str(caught.exception).startswith("shop.json: "))
                self.assertIn(complaint, str(caught.exception))
