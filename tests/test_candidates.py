import os
import unittest

from memsift import candidates
from memsift import notes
from memsift.archive.archive import Archive
from memsift.conversation import Conversation
from memsift.entry import Entry
from memsift.judgement import Message
from memsift.log import Log
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
PROXY = Entry("k1", "2026-11-30", "The staging proxy listens on port 8443 since the move.", turn="s1/t1")


class Gather(HomeTest):
    def setUp(self):
        super().setUp()
        self.archive = Archive(self.home.archive(REPOSITORY))

    def gather(self, text="the port of the proxy"):
        return candidates.gather(self.home, REPOSITORY, candidates.Query(text), Log(self.home.log))

    def test_nothing_remembered_yet_is_no_error(self):
        self.assertEqual((self.gather(), self.log_text()), ([], ""))

    def test_all_notes_and_the_best_of_the_archive_each_once(self):
        notes.append(self.home, REPOSITORY, [PROXY, Entry("k2", "", "We go with PayCo.")])
        self.archive.add([Entry("k1", "", "an older copy about the port"),
                          Entry("k3", "", "the port of the mailer")])
        self.archive.add([Entry("n%d" % i, "", "port %d" % i) for i in range(40)])
        found = self.gather()
        ids = [entry.id for entry in found]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertLessEqual(len(ids), 2 + candidates.FROM_ARCHIVE)
        self.assertTrue({"k1", "k2", "k3"} <= set(ids))
        self.assertEqual({entry.place for entry in found if entry.id == "k1"}, {"notes"})

    def test_archived_copies_of_working_notes_take_no_place_of_other_entries(self):
        copies = [Entry("n%d" % i, "", "the port of the proxy %d" % i) for i in range(30)]
        notes.append(self.home, REPOSITORY, copies)
        self.archive.add(copies + [Entry("k3", "", "some port")])
        self.assertIn("k3", {entry.id for entry in self.gather()})

    def test_exchange_before_the_prompt_finds_what_the_prompt_does_not_name(self):
        self.archive.add([Entry("k3", "", "The mailer retries for two hours.")])
        query = candidates.query("why?", Conversation([Message("agent", "The mailer failed.")]))
        self.assertEqual([entry.id for entry in candidates.gather(self.home, REPOSITORY, query, Log(self.home.log))], ["k3"])

    def test_place_that_cannot_be_read_is_logged_and_the_other_one_answers(self):
        self.archive.add([Entry("k3", "", "the port of the mailer")])
        os.mkdir(self.home.draft(REPOSITORY))
        self.assertEqual([entry.id for entry in self.gather()], ["k3"])
        self.assertIn("ERROR core-prompt notes", self.log_text())
        os.rmdir(self.home.draft(REPOSITORY))
        notes.append(self.home, REPOSITORY, [PROXY])
        with open(self.archive.path, "wb") as file:
            file.write(b"no database" * 1000)
        self.assertEqual([entry.id for entry in self.gather()], ["k1"])
        self.assertIn("ERROR core-prompt archive", self.log_text())


class Query(unittest.TestCase):
    def test_prompt_and_the_end_of_the_exchange_before_it(self):
        talk = Conversation([Message("developer", "a"), Message("agent", "x" * 50_000 + " end"),
                             Message("developer", "about PayCo")])
        query = candidates.query("which port?", talk)
        self.assertEqual(query.prompt, "which port?")
        self.assertTrue(query.before.endswith(" end\nabout PayCo"))
        self.assertLess(len(query.before), 2_000)
        self.assertEqual(candidates.query("which port?", Conversation()).before, "")


class AlreadySaid(unittest.TestCase):
    def said(self, *messages, given=(), turns=(), entry=PROXY):
        return candidates.already_said([entry], Conversation([Message(*message) for message in messages]),
                                       set(given), set(turns))

    def test_what_the_agent_still_sees_is_not_added_again(self):
        table = {
            "nothing was said": ((), {}, False), "given to it": ((), {"given": ["k1"]}, True),
            "its own turn": ((), {"turns": ["s1/t1"]}, True),
            "another turn": ((), {"turns": ["s1/t2", "s2/t1"]}, False),
            "said by the agent": ([("agent",
                                    "Since the move, the staging proxy listens on port 8443. Anything else?")], {}, True),
            "said in the summary": ([("summary",
                                      "Port 8443: the staging proxy listens on it since the move.")], {},
                                    True),
            "the question alone": ([("developer",
                                     "On which port does the staging proxy listen since the move?")], {},
                                   False),
            "another value": ([("developer",
                                "The staging proxy listens on port 9000 since the move, right?")], {}, False),
            "only in what memory added": ([("memory", PROXY.text)], {}, False),
        }
        for name, (messages, marks, expected) in table.items():
            with self.subTest(name=name):
                self.assertEqual(self.said(*messages, **marks), {"k1"} if expected else set())

    def test_note_without_a_turn_belongs_to_no_turn(self):
        self.assertEqual(self.said(turns=["s1/t1"], entry=Entry("k2", "", "by hand")), set())


if __name__ == "__main__":
    unittest.main()
