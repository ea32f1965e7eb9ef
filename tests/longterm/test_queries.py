import time
import unittest

from memsift.judgement import Message
from memsift.longterm.passage import Passage
from memsift.longterm.queries import MEANING
from memsift.longterm.queries import WORDS
from memsift.longterm.queries import Query
from memsift.longterm.queries import merge
from memsift.longterm.queries import texts

QUESTION = ("the payment worker of acme-shop keeps dying since i moved orders behind the pooler this morning, "
            "who remembers similar trouble with invoices or refunds")
PASTE = """\
2026-11-30T09:14:01Z INFO  acme.shop.Worker - order 4711 taken
2026-11-30T09:14:02Z ERROR o.h.jdbc.SqlHelper - prepared statement "S_1" already exists
    at org.postgresql.core.v3.QueryExecutorImpl.execute(QueryExecutorImpl.java:371)
    at example.acme.shop.OrderRepo.find(OrderRepo.java:41)
"""


def by(how, found):
    return next((query.text for query in found if query.by == how), "")


class Texts(unittest.TestCase):
    def test_question_and_error_lines_are_asked_for_and_the_rest_of_the_paste_is_not(self):
        found = texts(QUESTION + "\n\n" + PASTE * 50)
        meaning = by(MEANING, found)
        self.assertTrue(meaning.startswith(QUESTION), meaning)
        self.assertIn('prepared statement "S_1" already exists', meaning)
        for noise in ("4711", "OrderRepo"):
            self.assertNotIn(noise, meaning + by(WORDS, found))
        self.assertEqual({query.by for query in found}, {MEANING, WORDS})

    def test_words_are_asked_for_in_their_other_forms(self):
        prompt = "Why do we retry refunds in checkoutFlow after 30 days, and why are duplicated ones kept?"
        words = by(WORDS, texts(prompt)).split()
        for form in ("retry", "refund", "checkoutflow", "30", "duplicate", "duplicated", "duplicates", "day"):
            self.assertIn(form, words)
        for common in ("why", "and", "are"):
            self.assertNotIn(common, words)
        self.assertEqual(len(words), len(set(words)))

    def test_other_languages(self):
        prompt = "Warum dürfen die Läufe auf Kormoran höchstens nachts starten? Et les tâches planifiées ?"
        words = by(WORDS, texts(prompt)).split()
        for form in ("läufe", "läuf", "kormoran", "tâches", "tâche", "planifiées"):
            self.assertIn(form, words)

    def test_short_prompt_is_also_asked_together_with_what_the_agent_said_before(self):
        said = [Message("developer", "how do carts expire"),
                Message("agent", "x" * 900 + " Carts expire in Redis after a day.")]
        short, in_context = [query for query in texts("same for guests", said) if query.by == MEANING]
        self.assertEqual(short.text, "same for guests")
        self.assertTrue(in_context.text.endswith("Carts expire in Redis after a day.\nsame for guests"))
        self.assertLess(len(in_context.text), 400)
        self.assertLess(in_context.weight, short.weight)
        self.assertNotIn("redis", by(WORDS, texts("same for guests", said)))

    def test_long_prompt_is_asked_alone(self):
        self.assertEqual(len(texts(QUESTION, [Message("agent", "Carts expire in Redis.")])), 2)

    def test_what_memory_added_is_not_asked_for(self):
        found = texts("same for guests", [Message("memory", "- [k1] 2026-11-30: Carts expire in Redis.")])
        self.assertEqual([query.by for query in found], [MEANING, WORDS])

    def test_nothing_to_ask(self):
        for prompt in ("", "  \n\t "):
            self.assertEqual(texts(prompt, [Message("agent", "Carts expire in Redis.")]), [])

    def test_no_query_is_empty(self):
        for prompt in ("?", "...", "ok", "你们选了哪个支付服务商", "\u200b", "```\n```", "\n\n" + PASTE):
            found = texts(prompt)
            self.assertTrue(found and all(query.text.strip() for query in found), prompt)

    def test_length_is_bounded_whatever_the_prompt(self):
        recent = [Message("agent", "y" * 12_000), Message("developer", "z " * 6_000)]
        for prompt in ("word" * 15_000, "a" * 60_000, " ".join("word%d" % number for number in range(9_000)),
                       "error: x\n" * 6_000, "Fehler " + "ä" * 50_000, ("x" * 3_000 + " failed\n") * 20):
            found = texts(prompt, recent)
            self.assertLessEqual(len(found), 3)
            self.assertLess(len(by(MEANING, found)), 1_000)
            self.assertLess(len(by(WORDS, found)), 25_000)

    def test_paste_alone_is_asked_by_its_errors(self):
        self.assertIn("already exists", by(MEANING, texts(PASTE)))

    def test_secrets_are_not_asked_for_not_even_in_pieces(self):
        key = "sk-or-v1-" + "a1b2c3d4" * 8
        for prompt in ("checkout with %s fails" % key, "checkout fails:\nERROR: key=%s; refused\n" % key):
            sent = " ".join(query.text for query in texts(prompt, [Message("agent", "I used %s." % key)]))
            self.assertNotIn("a1b2c3d4", sent)
            self.assertNotIn("redacted", sent)


class Merged(unittest.TestCase):
    def merge(self, *pairs):
        lists = [[Passage(text) for text in found] for _, found in pairs]
        return [passage.text for passage in merge([query for query, _ in pairs], lists)]

    def test_what_more_than_one_query_finds_comes_first(self):
        self.assertEqual(self.merge((Query("x"), ["a", "b", "c"]), (Query("y"), ["d", "b"])), ["b", "a", "d", "c"])

    def test_what_shares_rare_words_with_the_question_comes_first(self):
        found = self.merge((Query("do carts expire"), ["Do it.", "Do not.", "Cart does expire.", "Do that."]),
                           (Query("carts expire", WORDS), ["Do more.", "Expiring carts go."]))
        self.assertEqual(set(found[:2]), {"Cart does expire.", "Do it."})
        self.assertLess(found.index("Expiring carts go."), found.index("Do more."))

    def test_filling_of_a_search_by_words_does_not_count(self):
        found = self.merge((Query("carts day"), ["a"]),
                           (Query("carts day", WORDS), ["Monday", "The Carts expire.", "b"]))
        self.assertEqual(set(found), {"The Carts expire.", "a"})

    def test_search_by_words_alone_is_an_answer(self):
        found = self.merge((Query("carts"), []), (Query("carts", WORDS), ["b", "Carts expire."]))
        self.assertEqual(found, ["Carts expire."])

    def test_only_meaning_keeps_its_order(self):
        self.assertEqual(self.merge((Query("carts"), ["a", "b", "carts"])), ["a", "b", "carts"])

    def test_query_of_less_weight_comes_after(self):
        found = self.merge((Query("x", weight=0.5), ["a", "b"]), (Query("y"), ["c", "d"]))
        self.assertEqual(found, ["c", "d", "a", "b"])

    def test_same_passage_twice_in_one_list_counts_once(self):
        self.assertEqual(self.merge((Query("x"), ["a", "b", "b"])), ["a", "b"])

    def test_query_that_found_nothing(self):
        self.assertEqual(self.merge((Query("x"), []), (Query("y"), ["a"])), ["a"])
        self.assertEqual(merge([], []), [])

    def test_large_passages_take_little_time(self):
        large = ["%d %s" % (number, "orders and carts " * 1_200) for number in range(120)]
        started = time.monotonic()
        self.merge((Query("do carts expire"), large), (Query("carts expire", WORDS), large))
        self.assertLess(time.monotonic() - started, 5.0)


if __name__ == "__main__":
    unittest.main()
