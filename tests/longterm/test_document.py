import unittest

from memsift.entry import Entry
from memsift.longterm import document

KEY = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2


class Documents(unittest.TestCase):
    def entry(self, id="k1", text="We go with PayCo.", **facts):
        return Entry(id, "2026-11-30", text, **facts)

    def test_words_come_back_as_they_were(self):
        for text in ("We go with PayCo.", "Two lines,\n\n[k1] in brackets", "ü \u2028 ✓", "a\n\nb"):
            entry = self.entry(text=text, files=["a.py", "b\nc.py"], mark="considered", replaces="k0")
            self.assertEqual(document.words(document.write(entry), "k1"), text)

    def test_part_of_a_document_without_its_last_line_is_all_words(self):
        self.assertEqual(document.words("the beginning of a long text", "k1"), "the beginning of a long text")

    def test_id_stands_in_the_last_line(self):
        self.assertEqual(document.id_in(document.write(self.entry(files=["a.py"]))), "k1")
        for text in ("We go with PayCo.", "a\n\n[ ] to do\n[x] done", "", "[k1] at the start"):
            self.assertEqual(document.id_in(text), "", text)

    def test_no_two_entries_have_the_same_document(self):
        entries = [self.entry(), self.entry("k2"), self.entry(text="We go with PayCo!"), self.entry(mark="considered"),
                   self.entry(replaces="k0"), self.entry(files=["a.py"]), Entry("k1", "2026-12-01", "We go with PayCo.")]
        self.assertEqual(len({document.write(entry) for entry in entries}), len(entries))

    def test_who_said_it_and_where_does_not_make_it_another_one(self):
        self.assertEqual(document.write(self.entry(turn="s/t", said="agent")), document.write(self.entry()))

    def test_name_is_the_id_where_that_is_harmless(self):
        self.assertEqual(document.name("k7f3a09b2c"), "k7f3a09b2c")
        for id in ("../x", "", ".x", "a b", "x" * 200, KEY, 'a"b'):
            self.assertRegex(document.name(id), r"^x-[0-9a-f]{16}$")

    def test_facts_hold_no_secret(self):
        facts = document.facts(self.entry(id=KEY, files=[KEY], said="agent"))
        self.assertNotIn(KEY, str(facts))
        self.assertEqual(document.facts(self.entry(said="agent")), {"memsift": "k1", "date": "2026-11-30", "said": "agent"})


if __name__ == "__main__":
    unittest.main()
