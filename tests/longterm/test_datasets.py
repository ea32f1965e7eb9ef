import os
import unittest
from unittest import mock

from memsift import files
from memsift.longterm import cognee_index
from memsift.longterm import datasets
from memsift.longterm.cognee import Dataset
from tests.support import HomeTest

NAME = "acme-shop-0123456789"
OWN = "memsift-acme-shop-0123456789"
KEY = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2


class Datasets(HomeTest):
    def write(self, text):
        files.make_folder(self.memsift_home)
        with open(self.home.datasets, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def read(self):
        with open(self.home.datasets, "rb") as file:
            return file.read()

    def purposes(self, *names):
        return datasets.purposes(self.home, NAME, set(names))

    def propose(self, *names, **settings):
        return datasets.propose(self.home, list(names), **settings)

    def test_own_dataset_is_asked_once_it_exists_and_comes_first(self):
        self.assertEqual(self.purposes(), {})
        self.write("- team-docs: how we review code\n")
        self.assertEqual(list(self.purposes("team-docs", OWN).items()),
                         [(OWN, datasets.OWN_PURPOSE), ("team-docs", "how we review code")])

    def test_other_repositories_datasets_are_never_asked_nor_listed(self):
        self.write("- memsift-other-1111111111: everything\n")
        self.assertEqual(self.purposes("memsift-other-1111111111"), {})
        self.assertEqual(self.propose("memsift-other-1111111111", OWN), [])

    def test_dataset_without_a_line_or_not_on_the_server_is_not_asked(self):
        self.write("- gone: old wiki\n")
        self.assertEqual(self.purposes("unlisted"), {})

    def test_forms_that_a_line_may_have(self):
        for line, purpose in (("- team-docs: a", "a"), ("* team-docs:  b ", "b"), ("- `team-docs`: c", "c"), ("- **team-docs**: d", "d"),
                              ("-  team-docs :e", "e"), ("  - team-docs: f: g\r", "f: g"), ("- team-docs:h", "h"),
                              ("- team-docs: i <!-- j: k -->", "i"), ("- team-docs:", "documents about team docs")):
            self.write("# datasets\n\n%s\nA remark: of mine\n" % line)
            self.assertEqual(self.purposes("team-docs"), {"team-docs": purpose}, line)

    def test_off_is_never_searched(self):
        for off in ("off", "Off", "OFF (for now)", "off, too noisy", "off.", "off <!-- why -->", "off — later"):
            self.write("- team-docs: %s\n" % off)
            self.assertEqual(self.purposes("team-docs"), {}, off)
        for on in ("offers to customers", "off-site backups", "offline mode"):
            self.write("- team-docs: %s\n" % on)
            self.assertEqual(self.purposes("team-docs"), {"team-docs": on})
        self.write("- %s: off\n" % OWN)
        self.assertEqual(self.purposes(OWN), {})

    def test_last_line_of_a_name_counts(self):
        self.write("- team-docs: off\n- team-docs: reviews\n")
        self.assertEqual(self.purposes("team-docs"), {"team-docs": "reviews"})

    def test_many_datasets_are_not_all_asked(self):
        names = ["d%d" % i for i in range(100)]
        self.write("".join("- %s: x\n" % name for name in names))
        self.assertEqual(list(self.purposes(OWN, *names)), [OWN] + names[:datasets.MOST_ASKED - 1])

    def test_broken_lines_stop_no_other_and_are_named(self):
        self.write(b"\xef\xbb\xbf- team-docs: a\r\n- no colon here\r\n- bad \xff\xfe: x\r\n- nul\0: x\r\n- wiki: b\r\n-not a line\r\n")
        self.assertEqual(self.purposes("team-docs", "wiki"), {"team-docs": "a", "wiki": "b"})
        self.assertEqual(datasets.broken_lines(files.read_text(self.home.datasets)), [2, 3, 4])

    def test_names_come_from_the_index_where_none_are_given(self):
        self.assertEqual(datasets.purposes(self.home, NAME), {})
        cognee_index.write(self.home, NAME, "http://127.0.0.1:8000", 1.0, [Dataset("1", OWN), Dataset("2", "wiki")], {})
        self.write("- wiki: ours\n")
        self.assertEqual(list(datasets.purposes(self.home, NAME)), [OWN, "wiki"])

    def test_unreadable_file_is_not_taken_for_one_that_switches_nothing_off(self):
        files.make_folder(self.home.datasets)
        with self.assertRaises(OSError):
            self.purposes(OWN)

    def test_unknown_datasets_are_proposed_with_a_hint(self):
        self.assertEqual(self.propose("team-docs", "main_dataset", "agent_sessions"), ["agent_sessions", "main_dataset", "team-docs"])
        text = self.read().decode()
        self.assertTrue(text.startswith("# What each dataset"))
        self.assertIn("- team-docs: documents about team docs <!-- proposed by memsift", text)
        self.assertEqual(self.purposes("team-docs", "main_dataset", "agent_sessions"),
                         {"main_dataset": "documents of all kinds", "team-docs": "documents about team docs"})
        self.assertEqual(self.propose("team-docs", "main_dataset", "agent_sessions"), [])
        self.assertEqual(self.read().decode(), text)
        self.assertEqual(datasets.broken_lines(text), [])

    def test_transcripts_of_the_cognee_plugin_are_proposed_switched_off_whatever_their_name(self):
        self.propose("chat-log", "wiki", transcripts="chat-log")
        self.assertEqual(list(self.purposes("chat-log", "wiki")), ["wiki"])

    def test_the_users_bytes_are_kept(self):
        mine = b"\xef\xbb\xbfmy datasets\r\n- wiki: ours\r\n- broken \xff\xfe\r\n\r\n  last words, no newline"
        self.write(mine)
        self.propose("team-docs", "wiki")
        self.assertTrue(self.read().startswith(mine + b"\r\n- team-docs: "))
        self.assertTrue(self.read().endswith(b"-->\r\n"))

    def test_file_that_is_edited_meanwhile_wins(self):
        self.write("- wiki: ours\n")

        def edit(names, text, silent, real=datasets._unlisted):
            if self.calls == 1:
                self.write("- wiki: ours, edited\n")
            self.calls += 1
            return real(names, text, silent)
        self.calls = 0
        with mock.patch.object(datasets, "_unlisted", edit):
            self.assertEqual(self.propose("team-docs"), [])
        self.assertEqual(self.read(), b"- wiki: ours, edited\n")
        self.assertEqual(self.propose("team-docs"), ["team-docs"])

    def test_names_that_cannot_stand_on_a_line_are_left_out(self):
        self.assertEqual(self.propose("a\n- evil: x", "b: c", "<!-- d", "x" * 101, "", " e ", KEY, "\u202eevil", "`f`", "- g"), ["- g"])
        self.assertEqual(self.purposes("- g", "evil", "b"), {"- g": "documents about g"})

    def test_link_in_its_place_is_not_followed(self):
        target = os.path.join(self.folder, "target")
        files.make_folder(self.memsift_home)
        os.symlink(target, self.home.datasets)
        with self.assertRaises(OSError):
            self.propose("team-docs")
        self.assertFalse(os.path.exists(target))


if __name__ == "__main__":
    unittest.main()
