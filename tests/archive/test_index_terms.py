import unittest

from memsift.archive.index_terms import index_terms
from memsift.terms import GRAM
from memsift.terms import terms


class IndexTerms(unittest.TestCase):
    def test_all_terms_of_a_text_each_once(self):
        text = "The port, the PORT and parseUserInput in src/cart_items.py at 2.14.3 on 8443"
        self.assertLessEqual(set(terms(text)), set(index_terms(text)))
        self.assertEqual(len(index_terms(text)), len(set(index_terms(text))))

    def test_words_of_every_length_are_found_by_a_piece(self):
        for word, piece in (("auth", "auth"), ("login", "ogin"), ("Zugriffsverwaltung", "walt"), ("pr\u00e9nom", "enom"),
                            ("maxCartItems", "cart"), ("\u043a\u043e\u0440\u0437\u0438\u043d\u0430", "\u0440\u0437\u0438\u043d")):
            with self.subTest(word=word):
                self.assertIn(GRAM + piece, index_terms(word))

    def test_short_words_numbers_and_ideographs_are_not_cut(self):
        self.assertEqual([term for term in index_terms("a to the 84438443 2.14.3 \u6c7a\u6e08\u65b9\u6cd5") if term[0] == GRAM], [])

    def test_terms_are_letters_and_digits_only(self):
        for term in index_terms("d'accord \"quoted\" a_b.c/d:e-f \U0001f600 x=1; -- DROP \0 \ud83d"):
            self.assertTrue(term.isalnum(), term)


if __name__ == "__main__":
    unittest.main()
