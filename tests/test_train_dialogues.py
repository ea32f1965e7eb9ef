"""The dialogues that the local sorter learns from are labelled as the conversations are."""

import unittest

from memsift.judgement import KINDS
from tests.train_dialogues import read_dialogues


class Dialogues(unittest.TestCase):
    def test_labels(self):
        dialogues = read_dialogues()
        self.assertGreater(len(dialogues), 150)
        for name, dialogue in dialogues.items():
            known = set()
            for session in dialogue["sessions"]:
                for turn in session["turns"]:
                    with self.subTest(name, turn=turn["id"]):
                        gold = turn["gold"]
                        self.assertIn(gold["kind"], KINDS)
                        self.assertEqual(bool(gold["fact"]), gold["turn"] in ("keep", "correction"))
                        self.assertLessEqual(set(gold["needs"]), known)
                        self.assertTrue(turn["prompt"] and turn["answer"])
                known |= {turn["id"] for turn in session["turns"] if turn["gold"]["fact"]}


if __name__ == "__main__":
    unittest.main()
