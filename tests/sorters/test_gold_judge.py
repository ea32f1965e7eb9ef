"""Whole conversations with a judge that knows the labels: whatever is missed then, the road itself has lost."""

import os
import unittest

from memsift.commands import replay
from memsift.replay import reading
from memsift.replay import score
from memsift.settings import Settings
from tests.gold_judge import GoldJudge
from tests.support import ROOT


class GoldJudgeTest(unittest.TestCase):
    def test_road_loses_nothing_that_the_judge_knows(self):
        files = [os.path.join(ROOT, "tests", "conversations", name) for name in ("b2.json", "d3.json")]
        with GoldJudge(files) as judge:
            settings = Settings({"MEMSIFT_SORTER": "jev", "MEMSIFT_JEV_URL": judge.url}, "/nonexistent")
            played, errors = replay.play([reading.read(path) for path in files], "gold", "local", settings)
            report = score.report(played, "local")
        self.assertEqual(errors, [])
        for conversation in report["conversations"]:
            self.assertEqual(conversation["reminders_expected"], 16)
            self.assertGreaterEqual(conversation["reminders_found"], 15, conversation["file"])
            self.assertEqual(conversation["added_for_nothing"], 0, conversation["file"])
        prompts, turns = report["total"]["prompts"], report["total"]["kept"]["expected"]
        self.assertGreaterEqual(len(judge.requests), prompts + turns)
        self.assertLessEqual(len(judge.requests), 2 * prompts)  # one for a prompt, one for its turn


if __name__ == "__main__":
    unittest.main()
