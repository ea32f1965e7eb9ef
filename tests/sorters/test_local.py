"""The local sorter with the weights that ship."""
from __future__ import annotations

import os
import unittest
from array import array

from memsift.entry import Entry
from memsift.judgement import KINDS
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import Message
from memsift.judgement import PromptJudgement
from memsift.judgement import PromptQuestion
from memsift.judgement import TurnQuestion
from memsift.sorters.local import LocalSorter
from memsift.sorters.weights import BadWeights
from memsift.sorters.weights import Weights
from memsift.sorters.weights import pack
from memsift.sorters.weights import unpack
from tests.train_dialogues import checksum

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAYMENT = "We go with PayCo for payments, its fees are lower for small carts."
WHICH_PAYMENT = "Which payment provider did we choose, and why?"
OTHERS = (
    "Order numbers start at 1000 because the printer cuts leading zeros.",
    "The nightly backup runs at 03:15 UTC, after the invoice job.",
    "Images are resized to 1600 px on upload; the originals stay in cold storage.",
    "The search index is rebuilt only on deploy, an incremental rebuild lost rows in May.",
    "Emails go through the queue, a direct send blocked the checkout twice.",
)
BEFORE = [
    Message("developer", "write the exporter"),
    Message("agent", "The exporter is done. Shall I add tests?"),
]


def notes() -> list[Entry]:
    texts = (PAYMENT,) + OTHERS
    return [Entry("k%d" % i, "2026-11-%d" % (20 + i), text, said="developer") for i, text in enumerate(texts)]


def need(judgement: PromptJudgement) -> float:
    return sum(judgement.kinds[kind] for kind in MEMORY_KINDS)


class PromptTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.sorter = LocalSorter()

    def judge(self, prompt: str, recent: list | tuple = (),
              candidates: list | None = None) -> PromptJudgement:
        question = PromptQuestion(prompt, recent, "", notes() if candidates is None else candidates)
        return self.sorter.judge_prompt(question)

    def test_a_question_about_a_past_choice_gets_its_note_alone(self) -> None:
        for prompt in (WHICH_PAYMENT, "which payments thing did we take and why"):
            with self.subTest(prompt=prompt):
                judgement = self.judge(prompt)
                self.assertGreaterEqual(need(judgement), self.sorter.thresholds.need)
                self.assertGreaterEqual(judgement.scores[0], self.sorter.thresholds.add)
                self.assertLess(max(judgement.scores[1:]), self.sorter.thresholds.add)

    def test_the_note_is_found_as_the_only_one_and_among_many(self) -> None:
        crowd = [Entry("m%d" % i, "2026-10-01", "%s Case %d." % (OTHERS[i % 5], i)) for i in range(200)]
        for candidates in (notes()[:1], notes() + crowd):
            judgement = self.judge(WHICH_PAYMENT, candidates=candidates)
            self.assertGreaterEqual(judgement.scores[0], self.sorter.thresholds.add)

    def test_first_note_of_a_project_is_found_in_a_session_that_has_begun(self) -> None:
        greeting = [Message("developer", "Hello"), Message("agent", "Hello.")]
        note = Entry("k1", "2026-11-30", PAYMENT, said="developer", files=["README.md"])
        for prompt in (WHICH_PAYMENT, "What was our reason for PayCo?"):
            self.assertGreaterEqual(self.judge(prompt, greeting, [note]).scores[0], self.sorter.thresholds.add)

    def test_no_note_is_added_where_none_answers(self) -> None:
        for prompt in (WHICH_PAYMENT, "what should the font be?"):
            with self.subTest(prompt=prompt):
                scores = self.judge(prompt, candidates=notes()[1:]).scores
                self.assertLess(max(scores), self.sorter.thresholds.add)

    def test_small_talk_and_orders_need_no_memory(self) -> None:
        for prompt in ("ok, go ahead", "thanks!", "commit this", "merci", "danke, passt", "gracias",
                       "continue", "push", "Say hello.", "Fix the typo in the README"):
            for recent in ([], BEFORE):
                with self.subTest(prompt=prompt, recent=len(recent)):
                    judgement = self.judge(prompt, recent)
                    self.assertLess(need(judgement), self.sorter.thresholds.need)
                    self.assertEqual(judgement.scores, [])

    def test_probabilities_are_probabilities(self) -> None:
        for prompt in ("", "?", "\x00\ud800", "why " * 5_000, "支払いはどう決めた？", "```\ncode\n```"):
            with self.subTest(prompt=prompt[:20]):
                judgement = self.judge(prompt, BEFORE)
                self.assertEqual(set(judgement.kinds), set(KINDS))
                self.assertAlmostEqual(sum(judgement.kinds.values()), 1.0)
                self.assertIn(len(judgement.scores), (0, 6))
                self.assertTrue(all(0.0 <= score <= 1.0 for score in judgement.scores))

    def test_no_candidates_and_empty_ones(self) -> None:
        self.assertEqual(self.judge(WHICH_PAYMENT, candidates=[]).scores, [])
        scores = self.judge(WHICH_PAYMENT, candidates=[Entry("k1", "", ""), Entry("k2", "", "?!")]).scores
        self.assertEqual(len(scores), 2)
        self.assertLess(max(scores), self.sorter.thresholds.add)

    def test_the_question_after_a_huge_paste_is_seen(self) -> None:
        paste = "0x1f foo.bar_baz=17 [error] line of a log\n" * 25_000
        prompt = paste + "which payment provider did we choose, and why?"
        self.assertGreaterEqual(self.judge(prompt).scores[0], self.sorter.thresholds.add)


class TurnTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.sorter = LocalSorter()

    def worth(self, prompt: str, answer: str, changes: tuple[str, ...] = ()) -> float:
        kinds = self.sorter.judge_turn(TurnQuestion([prompt], answer, list(changes))).kinds
        self.assertAlmostEqual(sum(kinds.values()), 1.0)
        return kinds["keep"] + kinds["correction"]

    def test_a_choice_with_its_reason_is_kept_in_the_developers_words(self) -> None:
        answer = "Noted: acme-shop uses PayCo because its fees are lower for small carts."
        for changes in ([], ["edited README.md"]):
            question = TurnQuestion([PAYMENT + " Note it in the README."], answer, changes)
            judgement = self.sorter.judge_turn(question)
            self.assertGreaterEqual(judgement.kinds["keep"], self.sorter.thresholds.keep)
            carrying = [(said, text) for said, text, score in judgement.sentences
                        if score >= self.sorter.thresholds.sentence]
            self.assertIn(("developer", PAYMENT), carrying)
            self.assertNotIn(("developer", "Note it in the README."), carrying)

    def test_turns_that_taught_nothing(self) -> None:
        for prompt, answer, changes in (
            ("ok, go ahead", "Done.", ()),
            ("ok, go ahead", "Done.", ("edited src/app.py",)),
            ("thanks!", "You're welcome.", ()),
            ("commit this", "Committed.", ("committed: add the exporter",)),
            (WHICH_PAYMENT, "PayCo, its fees are lower for small carts.", ()),
            ("", "", ()),
        ):
            with self.subTest(prompt=prompt, changes=changes):
                self.assertLess(self.worth(prompt, answer, changes), self.sorter.thresholds.keep)

    def test_a_correction_is_kept(self) -> None:
        worth = self.worth("No, not PayCo: we switched to Payzo, PayCo rejects small carts.",
                           "Understood, acme-shop uses Payzo now since PayCo rejects small carts.",
                           ("edited README.md",))
        self.assertGreaterEqual(worth, self.sorter.thresholds.keep)


class WeightsTest(unittest.TestCase):
    def test_the_shipped_file_was_made_from_the_scripts_and_data_here(self) -> None:
        files = LocalSorter().weights.facts["provenance"]["files"]
        self.assertIn("dialogues", files)
        for name, expected in files.items():
            with self.subTest(file=name):
                self.assertEqual("%08x" % checksum(os.path.join(TESTS, name)), expected,
                                 "changed since training: run tests/train_local.py")

    def test_a_damaged_file_is_named_as_such(self) -> None:
        whole = pack(Weights({"a": 1}, {"t": array("b", [1, -2, 3]), "f": array("f", [0.5])}))
        again = unpack(whole)
        self.assertEqual((list(again.tables["t"]), list(again.tables["f"])), ([1, -2, 3], [0.5]))
        spoilt = whole[:20] + b"\xff" + whole[21:]
        for data in (b"", b"MSW2", b"nonsense" * 9, whole[:-1], whole[:12], spoilt):
            with self.subTest(data=data[:16]), self.assertRaises(BadWeights):
                unpack(data)


if __name__ == "__main__":
    unittest.main()
