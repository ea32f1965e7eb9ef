import unittest
from unittest import mock

from memsift.archive import archive_index
from memsift.archive import archive_search
from tests.archive.test_archive import ArchiveTest
from tests.archive.test_archive import entry
from tests.archive.test_archive import without_fts5


class Search(ArchiveTest):
    def found(self, text, before="", most=20):
        found = [[found.id for found in self.archive.closest(text, most, before)]]
        with without_fts5():
            self.assertEqual([[found.id for found in self.archive.closest(text, most, before)]], found)
        return found[0]

    def test_rare_word_tells_more_than_common_ones(self):
        self.archive.add([entry("c%d" % i, "we chose this for the nightly build %d" % i) for i in range(30)])
        self.archive.add([entry("rare", "PayCo it is")])
        self.assertEqual(self.found("we chose this for PayCo")[0], "rare")

    def test_prompt_counts_more_than_what_was_said_before_which_counts_too(self):
        self.archive.add([entry("proxy", "the staging proxy"), entry("mail", "the mail queue")])
        self.assertEqual(self.found("why this queue?", before="the staging proxy"), ["mail", "proxy"])
        self.assertEqual(self.found("why?", before="the staging proxy")[:1], ["proxy"])

    def test_word_says_more_than_a_piece_of_it(self):
        self.archive.add([entry("whole", "the port is open"), entry("part", "the porters are open")])
        self.assertEqual(self.found("port"), ["whole", "part"])

    def test_newer_one_of_two_that_fit_equally_comes_first(self):
        self.archive.add([entry("old", "the staging proxy"), entry("new", "the staging proxy")])
        self.assertEqual(self.found("staging proxy"), ["new", "old"])

    def test_long_entry_does_not_win_by_its_length(self):
        noise = " ".join("word%s thing%s" % (chr(97 + i % 26) * 3, chr(97 + i // 26) * 3) for i in range(300))
        self.archive.add([entry("long", "staging proxy " + noise), entry("short", "staging proxy")])
        self.assertEqual(self.found("staging proxy"), ["short", "long"])

    def test_question_at_the_end_of_a_long_prompt_counts(self):
        self.archive.add([entry("port", "the staging proxy is on 8443"), entry("log", "GET cart gave 200")])
        self.assertIn("port", self.found("log line GET /cart 200\n" * 10_000 + "where is the staging proxy?")[:2])

    def test_common_terms_are_counted_once_in_a_while_and_a_search_reads_few_entries(self):
        self.archive.add([entry("c%d" % i, "the carts service number%d" % i) for i in range(3_000)])
        self.archive.add([entry("needle", "the carts service uses PayCo")])
        read = []
        real = archive_index.holders

        def holders(connection, term, most):
            read.append(len(real(connection, term, most)))
            return real(connection, term, most)
        with mock.patch.object(archive_index, "holders", holders):
            found = self.archive.closest("does the carts service use PayCo for the carts?")
        self.assertEqual(found[0].id, "needle")
        self.assertLessEqual(sum(read), archive_search._MOST_COUNTED)

    def test_only_common_terms_find_something_all_the_same(self):
        self.archive.add([entry("c%d" % i, "the carts service") for i in range(6_000)])
        for question in ("the carts service", "which unheard of carts do zzzz and qqqq mean by the service"):
            found = self.archive.closest(question)
            self.assertEqual((len(found), found[0].id), (20, "c5999"))


if __name__ == "__main__":
    unittest.main()
