import unittest

from memsift.entry import Entry
from memsift.judgement import Message
from memsift.sorters import budget

SENTENCE = "The carts service retries three times since the network drops."


class Estimate(unittest.TestCase):
    def test_it_grows_with_bytes_and_is_never_nothing(self):
        self.assertEqual(budget.estimate(""), 1)
        self.assertAlmostEqual(budget.estimate("x" * 38_000), 10_000, delta=10)
        self.assertGreater(budget.estimate("\u00e9" * 1000), budget.estimate("e" * 1000))
        self.assertGreater(budget.estimate("half an emoji \ud83d"), 1)


class Focused(unittest.TestCase):
    def test_short_prompt_is_whole(self):
        self.assertEqual(budget.focused(SENTENCE), SENTENCE)

    def test_end_of_a_paste_is_kept_and_some_of_its_beginning(self):
        for letter in ("x", "\u00e9", "\u4e2d"):
            with self.subTest(letter):
                text = budget.focused("First this. " + letter * 1_000_000 + " Which port is it?", 1000)
                self.assertTrue(text.startswith("First this. ") and text.endswith(" Which port is it?"))
                self.assertLess(abs(budget.estimate(text) - 1000), 100)


class Recent(unittest.TestCase):
    def texts(self, messages, tokens=budget.CONVERSATION_TOKENS):
        return [message.text for message in budget.recent(messages, tokens)]

    def test_newest_that_fit_in_their_order(self):
        messages = [Message("developer", "%d %s" % (number, SENTENCE)) for number in range(10)]
        kept = self.texts(messages, 4 * budget.estimate(messages[0].text))
        self.assertEqual([text[0] for text in kept], ["6", "7", "8", "9"])

    def test_what_was_added_by_memory_is_left_out_and_takes_no_room(self):
        messages = [Message("developer", SENTENCE), Message("memory", "memsift: " + SENTENCE * 50), Message("agent", "Yes.")]
        self.assertEqual(self.texts(messages, 40), [SENTENCE, "Yes."])


class Fitting(unittest.TestCase):
    def setUp(self):
        self.old = [Entry("old%d" % number, "2026-01-%02d" % (number + 1), SENTENCE) for number in range(20)]
        self.close = Entry("close", "2025-01-01", "We go with PayCo for payments.")
        self.newest = [Entry("today%d" % number, "2026-11-30", SENTENCE) for number in range(3)]
        self.all = self.old[:10] + [self.close] + self.old[10:] + self.newest

    def ids(self, tokens, query="Which payments provider?", overhead=100):
        return [entry.id for entry in budget.fitting(self.all, query, tokens, overhead)]

    def test_all_where_all_fit(self):
        self.assertEqual(len(self.ids(100_000)), len(self.all))

    def test_closest_and_newest_win_in_their_own_order(self):
        self.assertEqual(self.ids(300), ["close", "today2"])
        self.assertEqual([id for id in self.ids(900) if not id.startswith("old")], ["close", "today0", "today1", "today2"])

    def test_total_is_within_the_budget(self):
        for tokens in (0, 90, 350, 1000, 2000):
            kept = budget.fitting(self.all, "payments", tokens, 100)
            self.assertLessEqual(sum(budget.estimate(entry.text) + 100 for entry in kept), tokens)

    def test_one_huge_note_does_not_keep_the_others_out(self):
        self.all.append(Entry("huge", "2026-12-01", "payments " * 10_000))
        kept = self.ids(900)
        self.assertIn("close", kept)
        self.assertNotIn("huge", kept)

    def test_question_of_no_words_keeps_the_newest(self):
        self.assertIn("today2", self.ids(350, query="??"))


if __name__ == "__main__":
    unittest.main()
