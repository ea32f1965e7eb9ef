"""What counts as the same word, where sentences end, and which part of a long text is looked at."""
from __future__ import annotations

import time
import unittest

from memsift.prose import typed
from memsift.sentences import split_sentences
from memsift.terms import focus
from memsift.terms import terms


class TermsTest(unittest.TestCase):
    def test_two_ways_of_writing_share_a_term(self) -> None:
        for one, two in (
            ("payment", "Payments"),
            ("débits", "DEBIT"),
            ("rawBody", "raw_body"),
            ("raw-body", "rawbody"),
            ("read_config", "config"),
            ("HTTPServer", "server"),
            ("src/app/debits.ts", "debits.ts"),
            ("Zahlungsanbieter", "Anbieter"),
            ("version v0.18.3", "0.18.3"),
            ("Straße", "STRASSE"),
            ("支払い方法", "方法"),
            ("сервера", "серверу"),
        ):
            with self.subTest(one=one, two=two):
                self.assertTrue(set(terms(one)) & set(terms(two)))

    def test_different_words_share_nothing(self) -> None:
        for one, two in (
            ("cat", "car"),
            ("0.18.3", "0.18.4"),
            ("port 5432", "5433"),
            ("", "word"),
            ("?!", "..."),
        ):
            with self.subTest(one=one, two=two):
                self.assertFalse(set(terms(one)) & set(terms(two)))

    def test_terms_are_plain_letters_and_digits(self) -> None:
        text = "a.b/c_d-e::f \"quoted\" é 0.1.2 x'y {json: [1]} \u65e5\u672c \x00 \ud800"
        self.assertEqual([term for term in terms(text) if not term.isalnum()], [])

    def test_a_repeated_word_is_repeated(self) -> None:
        self.assertEqual(terms("red Red RED"), ["red"] * 3)

    def test_long_texts_take_little_time(self) -> None:
        many_words = " ".join("word%dx" % i for i in range(110_000))
        for text in ("a" * 1_000_000, many_words, "a_b/" * 250_000, "." * 1_000_000, "A" * 999_999 + "b",
                     "é " * 500_000):
            with self.subTest(text=text[:12]):
                start = time.monotonic()
                terms(text)
                self.assertLess(time.monotonic() - start, 10.0)


class SentencesTest(unittest.TestCase):
    def test_sentences(self) -> None:
        for text, expected in (
            ("", []),
            ("One. Two! Three?", ["One.", "Two!", "Three?"]),
            ("all lower case. it goes on", ["all lower case.", "it goes on"]),
            ("Pinned to v0.18.3 e.g. for now. Done.", ["Pinned to v0.18.3 e.g. for now.", "Done."]),
            ("Das ist z.B. so. Gut.", ["Das ist z.B. so.", "Gut."]),
            ("We saw 3.5 s in no. 4 of them.", ["We saw 3.5 s in no. 4 of them."]),
            ("- first\n- second. Third\n\n1. fourth", ["first", "second.", "Third", "fourth"]),
            ("## Title\n> quoted", ["Title", "quoted"]),
            ("Before\n```\ncode. More code.\n```\nafter", ["Before", "after"]),
            ("open fence\n```\ncode", ["open fence"]),
            ("支払いは金曜。次は土曜。", ["支払いは金曜。", "次は土曜。"]),
            ("A line that is long enough to have been wrapped by somebody's editor\ngoes on here.",
             ["A line that is long enough to have been wrapped by somebody's editor goes on here."]),
            ("| a | b |\n|---|---|\n| c | d |", ["| a | b |", "| c | d |"]),
        ):
            with self.subTest(text=text):
                self.assertEqual(split_sentences(text), expected)

    def test_long_texts_take_little_time(self) -> None:
        for text in ("a. " * 300_000, "." * 1_000_000, "- " * 500_000, "word " * 200_000, "x\n" * 500_000,
                     "1. " * 300_000, "\u3002" * 300_000):
            with self.subTest(text=text[:12]):
                start = time.monotonic()
                split_sentences(text)
                typed(text)
                self.assertLess(time.monotonic() - start, 10.0)


class FocusTest(unittest.TestCase):
    def test_a_short_text_stays_whole(self) -> None:
        self.assertEqual(focus("short", 100), "short")

    def test_the_end_and_the_beginning_of_a_long_text_stay(self) -> None:
        text = "why does this fail?\n" + "log line\n" * 1_000 + "which port did we choose?"
        kept = focus(text, 200)
        self.assertLessEqual(len(kept), 200)
        self.assertTrue(kept.startswith("why does this fail?"))
        self.assertTrue(kept.endswith("which port did we choose?"))


class TypedTest(unittest.TestCase):
    def test_pasted_lines_are_left_out(self) -> None:
        text = "\n".join((
            "the import fails again, any idea?",
            "Traceback (most recent call last):",
            "  File \"/srv/app/run.py\", line 12, in <module>",
            "{\"level\": \"error\", \"msg\": \"pool is empty\"}",
            "$ make -j4 test",
            "```",
            "let code = here",
            "```",
            "on avait déjà eu ça, non ?",
        ))
        kept = typed(text).split("\n")
        self.assertIn("the import fails again, any idea?", kept)
        self.assertIn("on avait déjà eu ça, non ?", kept)
        for pasted in ("run.py", "pool is empty", "make -j4", "let code"):
            self.assertNotIn(pasted, " ".join(kept))


if __name__ == "__main__":
    unittest.main()
