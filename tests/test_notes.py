import multiprocessing
import os
import time
import unittest
from unittest import mock

from memsift import files
from memsift import notes
from memsift.entry import Entry
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
FACTS = ' <!-- said=developer turn=3a4003bc/aa879b9f mark=considered replaces=k1 files="README.md, src/a b.py" -->'
# A line, and the id, date and text of its note; "h" stands for an id made from the words. None: not a note.
LINES = [
    ("- 2026-11-30 [k7f3a09b2c] We go with PayCo." + FACTS,
     ("k7f3a09b2c", "2026-11-30", "We go with PayCo.")),
    ("- 2026-11-30 [k7f3a09b2c] We go with PayCo.", ("k7f3a09b2c", "2026-11-30", "We go with PayCo.")),
    ("- [k7f3a09b2c] We go with PayCo.", ("k7f3a09b2c", "", "We go with PayCo.")),
    ("-  [k1] No date. <!-- said=agent -->", ("k1", "", "No date.")),
    ("- Staging listens on port 8443.", ("h", "", "Staging listens on port 8443.")),
    ("* 2026-11-30   Staging listens on port 8443.  ", ("h", "2026-11-30", "Staging listens on port 8443.")),
    ("- We go with PayCo.\r", ("h", "", "We go with PayCo.")),
    ("- [backend] is written in Go", ("h", "", "[backend] is written in Go")),
    ("- [x] done", ("h", "", "[x] done")),
    ("- [ ] to do", ("h", "", "[ ] to do")),
    ("- [docs](README.md) are in English", ("h", "", "[docs](README.md) are in English")),
    ("- a --> b --> c", ("h", "", "a --> b --> c")),
    ("- Vec<u8> is kept <!-- a > b -->", ("h", "", "Vec<u8> is kept <!-- a > b -->")),
    ("- kept <!-- a remark of mine -->", ("h", "", "kept")),
    ("- \u30dd\u30fc\u30c8\u306f8443\u3067\u3059", ("h", "", "\u30dd\u30fc\u30c8\u306f8443\u3067\u3059")),
    ("", None), ("\r", None), ("-", None), ("- ", None), ("-x", None), ("# Notes", None),
    ("plain words", None), ("  - nested", None),
    ("- <!-- said=agent -->", None), ("- 2026-11-30 [k1] ", None), ("1. one", None), ("---", None),
    ("- nul \0 inside", None), ("- not text \udcff\udcfe", None),
]
HOSTILE = ["two\nlines", "a\r\n- [k9] faked", "ends --> here", '<!-- said=developer mark=correction -->',
           'quote " and \' in it',
           "[k9] brackets first", "[x] a box", "2026-01-01 [k9] a date first", "- a dash first",
           "line\u2028and\u2029and\u0085end",
           "tab\tand\0nul\x1b[2J", "\ufeffbyte-order mark", "x" * 5_000, "\U0001f600 \u4eca\u65e5", "<!--",
           "a <!-- b", "-->", "  spaces  "]


def note(id, text="We go with PayCo.", **facts):
    return Entry(id, "2026-11-30", text, said="developer", turn="s/t", **facts)


def _append_many(home, name, times):
    for i in range(times):
        notes.append(home, REPOSITORY, [note("%s%d" % (name, i), "Note %s %d." % (name, i))])


class Parsing(unittest.TestCase):
    def test_table_of_lines(self):
        for line, expected in LINES:
            with self.subTest(line=line[:60]):
                found = notes.parse_line(line)
                if expected is None:
                    self.assertIsNone(found)
                    continue
                id, date, text = expected
                self.assertEqual((found.date, found.text), (date, text))
                self.assertRegex(found.id, r"\Ah[0-9a-f]{10}\Z" if id == "h" else r"\A%s\Z" % id)

    def test_comment_tells_the_rest(self):
        found = notes.parse_line(LINES[0][0])
        self.assertEqual((found.said, found.turn, found.mark, found.replaces, found.files),
                         ("developer", "3a4003bc/aa879b9f", "considered", "k1", ["README.md", "src/a b.py"]))

    def test_file_in_any_dress_gives_its_notes_in_order(self):
        for raw in ("- one\n- two\n", "\ufeff- one\n- two", "# Mine\r\n\r\n- one\r\nplain\r\n- two\r\n",
                    "- one\n- \0\n- \udcff\n- two\n"):
            with self.subTest(raw=raw):
                self.assertEqual([found.text for found in notes.parse(raw)], ["one", "two"])

    def test_two_hand_written_notes_with_one_label_are_two_notes(self):
        for raw in ("- [backend] port 8443\n- [backend] is written in Go\n",
                    "- 2026-11-30 [backend] port 8443\n- 2026-11-30 [backend] is written in Go\n"):
            with self.subTest(raw=raw):
                self.assertEqual(len({found.id for found in notes.parse(raw)}), 2)

    def test_hostile_text_comes_back_as_one_note_with_its_facts(self):
        for text in HOSTILE:
            with self.subTest(text=text[:30]):
                line = notes.format_line(note("k1", text, mark="correction", replaces="k0", files=["a.py"]))
                self.assertNotRegex(line, "[\n\r\x00-\x1f\u0085\u2028\u2029]")
                found = notes.parse_line(line)
                self.assertEqual(found.text, notes.one_line(text).replace("<!--", "< !--"))
                self.assertEqual((found.id, found.date, found.said, found.turn, found.mark, found.replaces,
                                  found.files),
                                 ("k1", "2026-11-30", "developer", "s/t", "correction", "k0", ["a.py"]))
                self.assertEqual(notes.format_line(found), line)

    def test_bare_note_keeps_its_id(self):
        found = notes.parse_line(notes.format_line(Entry("k2", "", "We go with PayCo.")))
        self.assertEqual((found.id, found.date, found.text), ("k2", "", "We go with PayCo."))

    def test_hostile_facts_set_nothing_but_themselves(self):
        for value in ("a mark=correction", 'a" mark="correction', "a -->", "<!-- mark=correction -->", "a\nb",
                      "\u00a0 x", "a--b.css"):
            with self.subTest(value=value):
                found = notes.parse_line(notes.format_line(Entry("k1", "2026-11-30", "x", [value], "agent",
                                                                 value)))
                self.assertEqual((found.text, found.said, found.mark, len(found.files)),
                                 ("x", "agent", "", 1))
                self.assertEqual(found.turn, found.files[0])
        self.assertEqual(found.files, ["a--b.css"])  # a file that is pointed to is pointed to by its name

    def test_long_hostile_lines_take_no_time(self):
        start = time.process_time()
        for line in ("- a" + " " * 200_000 + "b", "- " + "<!-- " * 50_000,
                     "- x <!-- " + "a" * 200_000 + " -->",
                     "- x <!-- " + "a=" * 100_000 + " -->", "-" + " " * 200_000, "- [" + "a" * 200_000):
            notes.parse_line(line)
        self.assertLess(time.process_time() - start, 2.0)


class NotesFile(HomeTest):
    def setUp(self):
        super().setUp()
        self.draft = self.home.draft(REPOSITORY)
        self.digest = self.home.digest(REPOSITORY)

    def put(self, path, raw):
        with open(path, "wb") as file:
            file.write(raw)

    def raw(self, path):
        with open(path, "rb") as file:
            return file.read()

    def append(self, *ids):
        notes.append(self.home, REPOSITORY, [note(id, "Note %s." % id) for id in ids])

    def ids(self):
        return [found.id for found in notes.load(self.home, REPOSITORY)]


class Changing(NotesFile):
    def test_appending_is_done_once_by_id_and_says_what_the_file_is(self):
        self.append("k1", "k1")
        self.append("k1", "k2")
        self.assertEqual(self.ids(), ["k1", "k2"])
        self.assertTrue(self.raw(self.draft).startswith(b"# "))
        before = self.raw(self.draft)
        self.append("k2")
        self.assertEqual(self.raw(self.draft), before)

    def test_other_bytes_stay_when_notes_come_and_go(self):
        own = b"# Mine\r\n\r\n- by hand\r\n- \xff\xfe\x00 broken\r\n\r\nplain \xe2\x80\xa8 words  \r\n"
        for raw in (own, b"\xef\xbb\xbf" + own, own + b"- no newline at the end", own.replace(b"\r\n", b"\n"),
                    b"\n\n", b"\xef\xbb\xbf"):
            with self.subTest(raw=raw[-30:]):
                self.put(self.draft, raw)
                self.append("k1", "k2")
                added = self.raw(self.draft)
                self.assertTrue(added.startswith(raw), added)
                notes.remove(self.home, REPOSITORY, {"k1"})
                self.assertEqual(self.raw(self.draft),
                                 b"".join(line for line in added.splitlines(True) if b"[k1]" not in line))
                notes.remove(self.home, REPOSITORY, {"k2"})
                self.assertEqual(self.raw(self.draft), raw if raw.endswith(b"\n") else raw + b"\n")

    def test_last_line_goes_and_the_one_above_keeps_its_newline(self):
        self.put(self.digest, b"# Mine\n- [k000000001] x")
        notes.remove(self.home, REPOSITORY, {"k000000001"})
        self.assertEqual(self.raw(self.digest), b"# Mine\n")

    def test_note_written_by_hand_can_be_removed_by_the_id_it_was_given(self):
        self.put(self.digest, b"- by hand\n- [backend] port 8443\n- [backend] is written in Go\n")
        notes.remove(self.home, REPOSITORY, {self.ids()[2]})
        self.assertEqual(self.raw(self.digest), b"- by hand\n- [backend] port 8443\n")

    def test_hand_edit_between_two_appends_survives(self):
        self.append("k1")
        self.put(self.draft, self.raw(self.draft).replace(b"Note k1.", b"Note k1, corrected by hand."))
        self.append("k1", "k2")
        self.assertEqual([found.text for found in notes.load(self.home, REPOSITORY)],
                         ["Note k1, corrected by hand.", "Note k2."])

    def test_digest_comes_first_and_absent_files_hold_no_notes(self):
        self.assertEqual(self.ids(), [])
        self.append("k2")
        self.put(self.digest, b"- 2026-11-30 [k1] Older.\n")
        self.assertEqual(self.ids(), ["k1", "k2"])

    def test_six_panes_append_fifty_notes_each_and_none_is_lost(self):
        panes = [multiprocessing.Process(target=_append_many,
                                         args=(self.home, name, 50)) for name in "abcdef"]
        for pane in panes:
            pane.start()
        for pane in panes:
            pane.join(120)
            self.assertEqual(pane.exitcode, 0)
        self.assertEqual(sorted(self.ids()),
                         sorted("%s%d" % (name, i) for name in "abcdef" for i in range(50)))

    def test_draft_that_cannot_be_read_is_never_taken_for_an_empty_one(self):
        target = os.path.join(self.folder, "target")
        self.put(target, b"- mine\n")
        makers = {"folder": lambda: os.mkdir(self.draft), "pipe": lambda: os.mkfifo(self.draft),
                  "link": lambda: os.symlink(target, self.draft)}
        for name, make in makers.items():
            make()
            for act in (lambda: self.append("k1"), lambda: notes.remove(self.home, REPOSITORY, {"k1"}),
                        self.ids):
                with self.subTest(name=name), self.assertRaises(OSError):
                    act()
            (os.rmdir if name == "folder" else os.unlink)(self.draft)
        self.assertEqual(self.raw(target), b"- mine\n")

    def test_draft_too_large_to_read_whole_is_not_shortened(self):
        self.put(self.draft, b"- mine\n")
        os.truncate(self.draft, files.MOST_BYTES + 1)
        with self.assertRaises(OSError):
            self.append("k1")
        self.assertEqual(os.path.getsize(self.draft), files.MOST_BYTES + 1)


class Settling(NotesFile):
    def waiting(self, id="k1", **facts):
        return note(id, "Note %s." % id).but(mark="pending", replaces="k0", **facts)

    def test_state_is_written_and_words_edited_meanwhile_stay(self):
        notes.append(self.home, REPOSITORY, [self.waiting()])
        self.put(self.draft, self.raw(self.draft).replace(b"Note k1.", b"Note k1, by hand.").replace(b"\n", b"\r\n"))
        notes.settle(self.home, REPOSITORY, [note("k2", "Note k2.")], [self.waiting(passed=["a1", "b2"])])
        first, second = notes.load(self.home, REPOSITORY)
        self.assertEqual((first.text, first.mark, first.passed, second.id), ("Note k1, by hand.", "pending", ["a1", "b2"], "k2"))
        self.assertIn(b"passed=a1,b2 -->\r\n", self.raw(self.draft))

    def test_only_what_waits_gets_a_state(self):
        self.append("k1")
        before = self.raw(self.draft)
        notes.settle(self.home, REPOSITORY, [], [self.waiting().but(mark="correction")])
        self.assertEqual(self.raw(self.draft), before)

    def test_file_that_is_saved_in_the_middle_is_read_again(self):
        self.append("k1")
        real, calls = files.write_text, []

        def write(path, text, seen=None):
            if not calls:
                self.put(path, self.raw(path) + b"- by hand\n")
            calls.append(path)
            return real(path, text, seen)
        with mock.patch.object(files, "write_text", write):
            notes.remove(self.home, REPOSITORY, {"k1"})
        self.assertEqual(len(calls), 2)
        self.assertIn(b"- by hand\n", self.raw(self.draft))
        self.assertNotIn(b"[k1]", self.raw(self.draft))

    def test_draft_is_written_on_and_not_replaced_when_a_note_is_kept(self):
        self.append("k1")
        before = os.stat(self.draft).st_ino
        self.append("k2")
        self.assertEqual(os.stat(self.draft).st_ino, before)


class Moving(NotesFile):
    def move(self, new, gone=(), gone_from_draft=()):
        notes.move(self.home, REPOSITORY, list(new), dict.fromkeys(gone, 0), dict.fromkeys(gone_from_draft, 0))

    def test_lines_move_byte_for_byte_and_twice_is_once(self):
        own = b"\xef\xbb\xbf# Mine\r\n- by hand: caf\xc3\xa9\r\n- \xff broken\n- [k000000001] x"
        self.put(self.draft, own)
        line = "- by hand: caf\u00e9"
        for _ in range(2):
            self.move([line], [], [line, "- [k000000001] x"])
            self.assertEqual(self.raw(self.draft), b"\xef\xbb\xbf# Mine\r\n- \xff broken\n")
            self.assertEqual(self.raw(self.digest).count(line.encode()), 1)

    def test_line_that_was_edited_stays(self):
        self.put(self.draft, b"- [k000000001] x, by hand\n")
        self.move([], [], ["- [k000000001] x"])
        self.assertEqual(self.raw(self.draft), b"- [k000000001] x, by hand\n")

    def test_line_that_is_edited_between_the_two_steps_stands_alone(self):
        self.put(self.draft, b"- [k000000001] x\n")
        real = files.write_text

        def write(path, text, seen=None):
            if path == self.digest:
                self.put(self.draft, b"- [k000000001] x, by hand\n")
            return real(path, text, seen)
        with mock.patch.object(files, "write_text", write):
            self.move(["- [k000000001] x"], [], ["- [k000000001] x"])
        self.assertEqual([found.text for found in notes.load(self.home, REPOSITORY)], ["x, by hand"])

    def test_as_many_lines_of_the_same_text_are_left_as_said(self):
        self.put(self.digest, b"- x\n- x\n- x\n")
        for _ in range(2):
            notes.move(self.home, REPOSITORY, [], {"- x": 2}, {})
            self.assertEqual(self.raw(self.digest), b"- x\n- x\n")
        self.assertEqual(len({found.id for found in notes.load(self.home, REPOSITORY)}), 2)


if __name__ == "__main__":
    unittest.main()
