import unittest
import unicodedata

from memsift.replay import table
from memsift.replay.play import Outcome
from tests.replay.test_score import played


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class TableTest(unittest.TestCase):

    def render(self, *names, rows=(([], "keep", ["a"], 1.25),), way="local"):
        found = []
        for name in names:
            one = played(rows)
            one.recording.path = "/somewhere/" + name
            one.outcomes["none"] = one.outcomes["local"]
            found.append(one)
        return table.render(found, way)

    def test_one_row_a_file_and_the_totals(self):
        lines = self.render("a1.json", "a2.json").splitlines()
        self.assertEqual([line.split("  ")[0].strip() for line in lines[1:8]],
                         ["conversation", lines[2], "a1.json", "a2.json", lines[2], "memsift", "recall on every prompt"])
        self.assertEqual(lines[3].split(), ["a1.json", "1", "1", "10", "1", "0", "of", "0", "1.2", "/", "1.2", "0",
                                            "0", "of", "1"])

    def test_recall_alone(self):
        text = self.render("a1.json", way="none")
        self.assertNotIn("memsift", text)
        self.assertIn("Recall on every prompt added something to 1 of 1 prompts, 10 characters", text)

    def test_columns_stand_under_each_other_and_fit(self):
        rows = [([], "keep", ["a"] * 40, 12345.678)] * 1200
        lines = self.render("茶" * 40 + ".json", "\x1b[31mred\x07.json", "a" * 200, "e\u0301.json", rows=rows).splitlines()
        self.assertTrue(all(columns(line) <= 110 for line in lines), lines)
        self.assertNotIn("\x1b", "".join(lines))
        self.assertNotIn("\x07", "".join(lines))
        ends = {columns(unicodedata.normalize("NFC", line)) for line in lines[1:10] if not line.startswith("---")}
        self.assertEqual(len(ends), 1, lines)

    def test_says_in_words_what_the_numbers_mean(self):
        text = " ".join(self.render("a1.json").split())
        self.assertIn("memsift added something to 1 of 1 prompts (recall: 1), 10 characters in all (recall: 10).", text)
        self.assertIn("Of 0 prompts that needed a note, 0 got one that they needed (recall: 0); of 1 that needed none, 1 "
                      "got something all the same (recall: 1).", text)

    def test_tells_the_story_of_an_unlabelled_recording_in_short(self):
        one = played([(None, "", ["a"], 1)] * 30, kept=["k%d" % number for number in range(30)])
        one.outcomes["none"] = []
        turn = one.recording.turns[0]
        prompt = "Which \x1b[2Jprovider\n" + "x" * 300
        one.outcomes["local"] = [Outcome(turn, prompt, "", "memsift: header\n- [k1] 2026-03-02: PayCo.", ["k1"], 1)] * 30
        one.outcomes["none"] = one.outcomes["local"]
        lines = table.render([one], "local").splitlines()
        story = lines[lines.index("a.json: prompts that got notes: 30, notes kept: 30"):]
        self.assertTrue(story[1].startswith("  > Which [2Jprovider xxx"), story[1])
        self.assertEqual(story[2], "    - [k1] 2026-03-02: PayCo.")
        self.assertIn("  and 20 more prompts", story)
        self.assertEqual(story[-2:], ["  kept [k9] x", "  and 20 more notes"])
        self.assertTrue(all(len(line) <= 110 for line in lines))
