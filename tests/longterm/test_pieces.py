import unittest

from memsift.entry import Entry
from memsift.longterm import document
from memsift.longterm import pieces
from memsift.longterm.passage import Passage

SENTENCE = "Sentence %d says something of its own about the shop. "
CREATED = 1796021610.787  # 2026-11-30


def own(text="We go with PayCo.", **more):
    return Passage(text, **{"dataset": "memsift-acme-shop", "document_id": "d", "document": "k7f3a09b2c", "tags": ("memsift", "acme-shop"),
                            "created": CREATED, **more})


def foreign(text, **more):
    return Passage(text, "handbook", "d1", "d", "guide", created=CREATED, **more)


class Entries(unittest.TestCase):
    def make(self, *passages, texts=("payment provider",), most=20, longest=900):
        return pieces.entries(list(passages), list(texts), most, longest)

    def test_entry_that_memsift_uploaded_comes_back_as_itself(self):
        facts = {"memsift": "k7f3a09b2c", "date": "2026-01-02", "said": "developer", "turn": "s-1/t_2", "mark": "considered",
                 "replaces": "k111111111", "files": ["README.md", 5]}
        found, = self.make(own(metadata=facts))
        self.assertEqual((found.id, found.date, found.text, found.said, found.turn), ("k7f3a09b2c", "2026-01-02", "We go with PayCo.",
                                                                                  "developer", "s-1/t_2"))
        self.assertEqual((found.mark, found.replaces, found.files, found.place), ("considered", "k111111111", ["README.md"], "cognee"))

    def test_without_metadata_the_name_of_the_document_is_its_id(self):
        found, = self.make(own())
        self.assertEqual((found.id, found.date, found.said, found.replaces), ("k7f3a09b2c", "2026-11-30", "", ""))

    def test_last_line_of_a_document_is_no_part_of_the_note(self):
        entry = Entry("k7f3a09b2c", "2026-01-02", "We go with PayCo.", ["README.md"], "developer", mark="considered")
        for passage in (own(document.write(entry), metadata=document.facts(entry)), own(document.write(entry)),
                        Passage(document.write(entry), "memsift-acme-shop", tags=("memsift", "acme-shop"))):
            found, = self.make(passage)
            self.assertEqual((found.id, found.text), ("k7f3a09b2c", "We go with PayCo."))

    def test_facts_that_are_none_are_left_out(self):
        facts = {"memsift": "not an id", "date": "yesterday", "said": "system", "turn": "a b", "mark": "!", "replaces": "\n", "files": "x"}
        found, = self.make(own(metadata=facts))
        self.assertRegex(found.id, "^c[0-9a-f]{9}$")
        self.assertEqual((found.date, found.said, found.turn, found.mark, found.replaces, found.files),
                         ("2026-11-30", "", "", "", "", []))

    def test_somebody_elses_document_cannot_take_the_id_of_a_note(self):
        found, = self.make(foreign("We go with OtherPay.", metadata={"memsift": "k7f3a09b2c", "replaces": "k111111111"}))
        again, = self.make(foreign("We go with OtherPay."))
        self.assertRegex(found.id, "^c[0-9a-f]{9}$")
        self.assertEqual((found.id, found.replaces, found.date), (again.id, "", "2026-11-30"))

    def test_secrets_are_redacted(self):
        found, = self.make(foreign("The key is sk-or-v1-" + "a1b2c3d4" * 8))
        self.assertEqual(found.text, "The key is [redacted]")

    def test_passage_without_a_time_has_no_date(self):
        for created in (0.0, 1e300, -1e300):
            self.assertEqual(self.make(Passage("text", created=created))[0].date, "")

    def test_long_passage_becomes_the_pieces_that_are_about_the_question(self):
        text = "".join(SENTENCE % number for number in range(100)) + "Our payment provider is PayCo. " + SENTENCE % 101
        found = self.make(foreign(text))
        self.assertEqual(len(found), 3)
        self.assertTrue(any("PayCo" in entry.text for entry in found))
        self.assertLessEqual(max(len(entry.text) for entry in found), 900)
        self.assertEqual(len({entry.id for entry in found}), 3)

    def test_pieces_of_an_entry_have_ids_of_their_own(self):
        found = self.make(own("".join(SENTENCE % number for number in range(30))))
        self.assertEqual([entry.id for entry in found], ["k7f3a09b2c", "k7f3a09b2c-2"])

    def test_long_passage_does_not_crowd_out_the_others(self):
        long = foreign("".join(SENTENCE % number for number in range(100)))
        found = self.make(long, *[own("note %d" % number, document="k%d" % number) for number in range(5)], most=6)
        self.assertEqual([entry.id for entry in found[1:]], ["k0", "k1", "k2", "k3", "k4"])

    def test_the_same_passage_counts_once_and_no_more_than_wanted_come(self):
        self.assertEqual(len(self.make(foreign("one"), foreign("one"), foreign("two"))), 2)
        self.assertEqual(len(self.make(*[foreign("text %d" % number) for number in range(50)])), 20)


class Split(unittest.TestCase):
    def test_nothing_is_lost_and_no_piece_is_too_long(self):
        texts = ["", "short", "x" * 5_000, "".join(SENTENCE % number for number in range(100)), "a\n\n" * 900,
                 "\n".join("- line %d of a list" % number for number in range(200)), "où " * 900]
        for text in texts:
            found = pieces.split(text, 300)
            self.assertEqual("".join("".join(found).split()), "".join(text.split()))
            self.assertTrue(all(0 < len(piece) <= 300 for piece in found))

    def test_paragraphs_stay_whole_before_sentences_do(self):
        first, second = "One. " * 30, "Two. " * 30
        self.assertEqual(pieces.split(first + "\n\n" + second, 200), [first.strip(), second.strip()])
        self.assertEqual(pieces.split("One is here. " * 14, 100), [("One is here. " * 7).strip()] * 2)


if __name__ == "__main__":
    unittest.main()
