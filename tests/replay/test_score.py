import unittest

from memsift.entry import Entry
from memsift.replay import score
from memsift.replay.play import Outcome
from memsift.replay.play import Played
from memsift.replay.recording import Gold
from memsift.replay.recording import Recording
from memsift.replay.recording import Session
from memsift.replay.recording import Step
from memsift.replay.recording import Turn


def played(rows, kept=()):
    """From rows of (needs or None for no label, keep, added ids, milliseconds)."""
    turns = [Turn("t%d" % number, "2026-03-02", [Step("prompt", "x")],
                  None if needs is None else Gold("past_choice", needs, keep))
             for number, (needs, keep, _, _) in enumerate(rows, 1)]
    found = Played(Recording("a.json", "acme-shop", [Session("s1", "codex", turns)]))
    found.outcomes["local"] = [Outcome(turn, "x", "reaction", "y" * 10 * len(added), list(added), spent)
                               for turn, (_, _, added, spent) in zip(turns, rows)]
    found.kept_turns = set(kept)
    found.kept = [Entry(turn, "", "x") for turn in kept]
    return found


class ScoreTest(unittest.TestCase):

    def test_counts(self):
        one = played([([], "keep", [], 1), ([], "nothing", ["a"], 2), (["c"], "correction", ["b", "c"], 3),
                      (["c", "t1"], "nothing", ["t1"], 4), (["c"], "nothing", ["d"], 5), (["c"], "nothing", [], 6)],
                     kept=["t1", "t2"])
        self.assertEqual(score.total([one], "local"), {
            "prompts": 6, "added": 4, "characters": 50, "added_for_nothing": 1, "reminders_expected": 4,
            "reminders_found": 2, "wait_ms": {"median": 3, "p95": 6}, "kept": {"expected": 2, "kept": 2, "right": 1}})

    def test_without_labels(self):
        numbers = score.total([played([(None, "", ["a"], 1)], kept=["t1"])], "local")
        self.assertEqual([numbers[name] for name in ("added_for_nothing", "reminders_expected", "reminders_found")],
                         [None, None, None])
        self.assertEqual(numbers["kept"], {"expected": None, "kept": 1, "right": None})

    def test_the_total_takes_labels_where_there_are_some(self):
        labelled, bare = played([([], "keep", ["a"], 1)], kept=["t1"]), played([(None, "", ["a"], 1)], kept=["t1"])
        numbers = score.total([labelled, bare], "local")
        self.assertEqual((numbers["added"], numbers["added_for_nothing"]), (2, 1))
        self.assertEqual(numbers["kept"], {"expected": 1, "kept": 2, "right": 1})

    def test_waits(self):
        for values, median, p95 in (([7.126], 7.13, 7.13), ([1, 2], 1, 2), (range(1, 101), 50, 95)):
            with self.subTest(values=values):
                numbers = score.total([played([([], "nothing", [], value) for value in values])], "local")
                self.assertEqual(numbers["wait_ms"], {"median": median, "p95": p95})
