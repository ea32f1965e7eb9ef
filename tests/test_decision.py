import ast
import contextlib
import json
import os
import unittest
from unittest import mock

from memsift import block
from memsift import decision
from memsift.decision import Limits
from memsift.entry import Entry
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import NEEDS_NOTHING
from memsift.judgement import PassageJudgement
from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds
from tests.support import ROOT
from tests.support import kinds

THRESHOLDS = Thresholds(need=0.5, add=0.6, keep=0.5, sentence=0.5)
WIDE = Limits(20, 9000)
LONG = "a long story " * 60


def entry(id, text="", **facts):
    return Entry(id, "2026-11-30", text or "note " + id, **facts)


def decide(scored, kind="past_choice", said=(), limits=WIDE):
    """The decision for [(entry, score)]."""
    judgement = PromptJudgement(kinds(kind), [score for _, score in scored], "scripted")
    return decision.decide(judgement, [candidate for candidate, _ in scored], set(said), THRESHOLDS, limits)


def fates(made):
    return {fate.entry.id: fate.fate for fate in made.fates}


class Rules(unittest.TestCase):
    def test_prompt_of_a_kind_that_needs_nothing_gets_nothing(self):
        for kind in NEEDS_NOTHING:
            made = decide([(entry("a"), 1.0)], kind)
            self.assertEqual((made.kind, made.context, fates(made)), (kind, "", {"a": decision.NOT_NEEDED}))
        for kind in MEMORY_KINDS:
            made = decide([(entry("a"), 1.0)], kind)
            self.assertEqual((made.kind, [note.id for note in made.added]), (kind, ["a"]))

    def test_need_is_the_sum_over_the_kinds_that_may_need_memory(self):
        spread = dict.fromkeys(NEEDS_NOTHING, 0.09)
        spread.update(dict.fromkeys(MEMORY_KINDS, 0.55 / 6))
        made = decision.decide(PromptJudgement(spread, [1.0], "s"), [entry("a")], set(), THRESHOLDS, WIDE)
        self.assertAlmostEqual(made.need, 0.55)
        self.assertEqual(len(made.added), 1)

    def test_each_fate(self):
        table = [
            ("nothing to choose from", [], (), WIDE, {}),
            ("score at the threshold", [(entry("a"), 0.6), (entry("b"), 0.599)], (), WIDE,
             {"a": "added", "b": "below threshold"}),
            ("far behind the best", [(entry("a"), 1.0), (entry("b"), 0.66), (entry("c"), 0.64)], (), WIDE,
             {"a": "added", "b": "added", "c": "far behind the best one"}),
            ("already said", [(entry("a"), 0.9), (entry("b"), 0.8)], ["a"], WIDE,
             {"a": decision.SAID, "b": "added"}),
            ("L10 A replaced note stays active; both are shown.",
             [(entry("a"), 0.9), (entry("b", replaces="a"), 0.7)], (), WIDE,
             {"a": decision.SUPERSEDED, "b": "added"}),
            ("replaced by one that does not fit", [(entry("a"), 0.9), (entry("b", replaces="a"), 0.1)], (),
             WIDE,
             {"a": decision.SUPERSEDED, "b": "below threshold"}),
            ("chain", [(entry("a"), 0.9), (entry("b", replaces="a"), 0.9), (entry("c", replaces="b"), 0.9)],
             (), WIDE,
             {"a": decision.SUPERSEDED, "b": decision.SUPERSEDED, "c": "added"}),
            ("over the number", [(entry("a"), 0.7), (entry("b"), 0.9), (entry("c"), 0.8)], (),
             Limits(2, 9000),
             {"a": decision.OVER_COUNT, "b": "added", "c": "added"}),
            ("a long one leaves room for a shorter one", [(entry("a", LONG), 0.9), (entry("b"), 0.8)], (),
             Limits(3, 400),
             {"a": decision.OVER_LENGTH, "b": "added"}),
            ("said ones take no place", [(entry("a"), 0.9), (entry("b"), 0.8)], ["a"], Limits(1, 9000),
             {"a": decision.SAID, "b": "added"}),
        ]
        for name, scored, said, limits, expected in table:
            with self.subTest(name=name):
                self.assertEqual(fates(decide(scored, said=said, limits=limits)), expected)

    def test_best_first_and_equal_ones_in_the_order_they_came(self):
        made = decide([(entry(id), score) for id, score in (("a", 0.7), ("b", 0.9), ("c", 0.7), ("d", 0.9))])
        self.assertEqual([note.id for note in made.added], ["b", "d", "a", "c"])
        self.assertEqual(made.context, block.render(made.added))

    def test_never_more_characters_than_allowed(self):
        scored = [(entry("n%d" % i, "word " * (i * 7 % 50)), 0.9) for i in range(60)]
        for characters in list(range(200, 700, 7)) + [1500, 9000]:
            made = decide(scored, limits=Limits(60, characters))
            self.assertLessEqual(len(made.context), characters)
        one = block.render([entry("a")])
        self.assertEqual(len(decide([(entry("a"), 1.0)], limits=Limits(1, len(one))).added), 1)
        self.assertEqual(decide([(entry("a"), 1.0)], limits=Limits(1, len(one) - 1)).context, "")

    def test_no_judgement_adds_nothing(self):
        made = decision.decide(PromptJudgement({}, [], "none"), [entry("a")], set(), THRESHOLDS, WIDE)
        self.assertEqual((made.kind, made.context), ("", ""))


class LongTermStore(unittest.TestCase):
    """When it is asked, about what, and what becomes of its passages."""

    def test_it_is_asked_only_where_memory_may_be_needed_and_nothing_here_answers(self):
        table = [
            ("a note answers", decide([(entry("a"), 0.9)]), None, False),
            ("the agent has been told already", decide([(entry("a"), 0.9)], said=["a"]), None, False),
            ("a note answers, but is too long", decide([(entry("a", LONG), 0.9)], limits=Limits(3, 200)), None, False),
            ("no note answers", decide([(entry("a"), 0.1)]), None, True),
            ("no notes", decide([]), None, True),
            ("what answered was replaced", decide([(entry("a"), 0.9), (entry("b", replaces="a"), 0.1)]), None, True),
            ("a kind that needs nothing", decide([(entry("a"), 0.1)], "reaction"), None, False),
            ("a subject that memory keeps", decide([]), 0.5, True),
            ("a subject that memory does not keep", decide([]), 0.49, False),
            ("nobody judged", decision.decide(PromptJudgement({}, [], "none"), [], set(), THRESHOLDS, WIDE), None, False),
        ]
        for name, made, worth, expected in table:
            with self.subTest(name=name):
                self.assertEqual(decision.wants_passages(made, worth, THRESHOLDS), expected)

    def test_datasets_that_fit_are_asked(self):
        purposes = {"shop": "the shop", "lab": "experiments", "ops": "incidents"}
        table = [
            ({"shop": 0.6, "lab": 0.1, "ops": 0.8}, ["ops", "shop"]), ({"shop": 0.2, "lab": 0.1, "ops": 0.0}, ["shop"]),
            ({}, ["shop", "lab", "ops"]), ({"gone": 0.9}, ["shop", "lab", "ops"]),
        ]
        for judged, expected in table:
            with self.subTest(judged=judged):
                self.assertEqual(decision.fitting_datasets(purposes, judged, THRESHOLDS), expected)

    def go_on(self, made, scored, said=(), limits=WIDE):
        judgement = PassageJudgement([score for _, score in scored], "judge")
        passages = [passage for passage, _ in scored]
        return decision.decide_on_passages(made, judgement, passages, set(said), THRESHOLDS, limits)

    def test_passage_that_answers_is_added_and_every_candidate_stays_in_the_log(self):
        made = self.go_on(decide([(entry("a"), 0.1)]), [(entry("p"), 0.9), (entry("q"), 0.2), (entry("r"), 0.8)],
                          limits=Limits(1, 9000))
        self.assertEqual(fates(made), {"p": "added", "r": decision.OVER_COUNT, "q": decision.BELOW, "a": decision.BELOW})
        self.assertEqual(made.context, block.render([entry("p")]))
        self.assertEqual(made.sorter, "scripted, judge")

    def test_passage_that_a_note_of_this_machine_replaces_is_not_added(self):
        made = self.go_on(decide([(entry("n", replaces="p"), 0.1)]), [(entry("p"), 0.9)])
        self.assertEqual((fates(made)["p"], made.context), (decision.SUPERSEDED, ""))

    def test_passage_the_agent_sees_already_is_not_added(self):
        made = self.go_on(decide([]), [(entry("p"), 0.9), (entry("q"), None)], said=["p"])
        self.assertEqual((fates(made), made.context), ({"p": decision.SAID, "q": decision.NOT_JUDGED}, ""))

    def test_entry_that_was_judged_as_a_candidate_is_not_judged_again_as_a_passage(self):
        made = decide([(entry("a"), 0.1), (entry("over the size"), None)])
        fresh = decision.not_judged_yet([entry("a"), entry("over the size"), entry("p")], made)
        self.assertEqual([passage.id for passage in fresh], ["over the size", "p"])


class Purity(unittest.TestCase):
    def test_deciding_reads_sends_and_writes_nothing_and_gives_the_same_again(self):
        scored = [(entry("a"), 0.9), (entry("b", LONG), 0.8)]
        first = decide(scored)
        with contextlib.ExitStack() as forbidden:
            for name in ("builtins.open", "os.open", "time.time", "socket.socket"):
                forbidden.enter_context(mock.patch(name, side_effect=AssertionError))
            again = decide(scored)
        self.assertEqual((again.context, again.facts()), (first.context, first.facts()))

    def test_module_names_no_other_than_pure_ones(self):
        for name in ("decision", "keeping"):
            with open(os.path.join(ROOT, "memsift", name + ".py"), encoding="utf-8") as file:
                tree = ast.parse(file.read())
            named = {getattr(node, "module", None) or node.names[0].name for node in ast.walk(tree)
                     if isinstance(node, (ast.Import, ast.ImportFrom))}
            with self.subTest(name=name):
                self.assertEqual(named & {"os", "time", "socket", "subprocess", "io", "memsift.files",
                                          "memsift.lock"}, set())


class Facts(unittest.TestCase):
    def test_log_shows_each_candidate_and_no_text(self):
        made = decide([(entry("a", "the launch code"), 0.91234),
                       (entry("b", "the second code", place="archive"), 0.1)])
        made.milliseconds["sorter"] = 1.23456
        facts = json.loads(json.dumps(made.facts()))
        self.assertEqual(facts["candidates"], [["a", "notes", 0.912, "added"], ["b", "archive", 0.1,
                                                                                "below threshold"]])
        self.assertEqual((facts["kind"], facts["added"], facts["characters"]),
                         ("past_choice", ["a"], len(made.context)))
        self.assertEqual((facts["milliseconds"], facts["sorter"]), ({"sorter": 1.2}, "scripted"))
        self.assertNotIn("code", json.dumps(facts))


if __name__ == "__main__":
    unittest.main()
