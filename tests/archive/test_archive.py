import contextlib
import os
import random
import sqlite3
import stat
import unittest
from unittest import mock

from memsift.archive import archive_index
from memsift.archive.archive import Archive
from memsift.entry import Entry
from memsift.terms import terms
from tests.support import HomeTest

# id, text, files, and what somebody may ask for it, each question meaning this entry and no other one
ENTRIES = [
    ("pay", "We go with PayCo for payments, its fees are lower for small carts.", ["billing/payco_client.py"],
     ["which payment provider did we choose", "payco fees", "billing/payco_client.py", "PAYCO",
      "payco client", "pay", "paym", "prepayments"]),
    ("port", "The staging proxy listens on port 8443 because 443 is taken.", [],
     ["8443", "port of the staging proxy?"]),
    ("error", "sqlite3.OperationalError: database is locked comes from the nightly export job.",
     ["jobs/nightlyExport.ts"],
     ["sqlite3.OperationalError: database is locked", "nightly export", "nightlyExport", "OperationalError"]),
    ("zug", "Die Zugriffsverwaltung l\u00e4uft \u00fcber Keycloak, nicht \u00fcber eigene Tabellen.", [],
     ["Zugriff", "verwaltung", "keycloak", "lauft", "L\u00c4UFT", "Tabelle", "Keyclaok"]),
    ("cafe", "Le caf\u00e9 cr\u00e8me est le nom de code de la version 2.14.3.", [],
     ["cafe creme", "CAF\u00c9", "version 2.14.3"]),
    ("ja", "\u6c7a\u6e08\u306fPayPay\u3092\u4f7f\u3044\u307e\u3059", [],
     ["\u6c7a\u6e08", "\u6c7a\u6e08\u306f\u3069\u308c?"]),
    ("camel", "parseUserInput must never see max_cart_items above 50.", [],
     ["parse user input", "cart items", "max_cart_items", "parseUser", "inputs", "user-input parser"]),
]
QUERIES_WITH_SYNTAX = ['" OR * NEAR( : ^ -', '"', "''", "a AND NOT b", "col:term", "NEAR(a b, 2)",
                       "{}[]()^*+-", "'; DROP TABLE entries; --",
                       "\0", "\ud83d", "\U0001f600\U0001f600", " \n\t", "", "x", "a" * 1_000_000, "%s %d",
                       '"port" 8443" OR "']


def without_fts5():
    """SQLite as some interpreters have it: without the module, no statement about its table runs."""
    real = archive_index.can
    return mock.patch.object(archive_index, "can", lambda connection, statement: "search" not in statement
                             and real(connection, statement))


def entry(id, text="", names=()):
    return Entry(id, "2026-11-30", text or "entry " + id, list(names), "developer", "s/t")


class ArchiveTest(HomeTest):
    def setUp(self):
        super().setUp()
        self.archive = Archive(self.home.archive("acme-shop-0123456789"))

    def found(self, text, most=20):
        return [found.id for found in self.archive.closest(text, most)]

    def check_index(self):
        """The index holds exactly what the table holds; SQLite itself compares its parts."""
        connection = sqlite3.connect(self.archive.path)
        connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")
        rows = connection.execute("SELECT number, terms FROM entries ORDER BY number").fetchall()
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, search, instance)")
        indexed = connection.execute("SELECT doc, term FROM temp.words").fetchall()
        connection.close()
        self.assertEqual(sorted(indexed),
                         sorted((number, term) for number, terms in rows for term in terms.split()))


class Searching(ArchiveTest):
    def setUp(self):
        super().setUp()
        self.archive.add([entry(id, text, names) for id, text, names, _ in ENTRIES])

    def test_entry_is_found_by_words_parts_paths_and_messages_with_and_without_an_index(self):
        table = [(id, question) for id, _, _, questions in ENTRIES for question in questions]
        for patch in (contextlib.nullcontext(), without_fts5()):
            with patch:
                for id, question in table:
                    with self.subTest(question=question, patch=patch):
                        self.assertEqual(self.found(question)[:1], [id])

    def test_entry_comes_back_as_it_was_put_in(self):
        whole = Entry("k1", "2026-11-30", "zebra \0 \U0001f600\n\"'", ["a b.py", "c,d.py"], "agent", "s/t",
                      "considered", "k0")
        self.archive.add([whole])
        found, = self.archive.closest("zebra")
        self.assertEqual([getattr(found, name) for name in Entry.__slots__],
                         [getattr(whole, name) if name != "place" else "archive" for name in Entry.__slots__])
        self.archive.add([entry("k2", "half an emoji \ud83d unicorn")])
        self.assertEqual(self.archive.closest("unicorn")[0].text, "half an emoji ? unicorn")

    def test_any_text_is_a_query(self):
        for text in QUERIES_WITH_SYNTAX:
            with self.subTest(text=text[:30]):
                self.archive.closest(text)
                self.archive.closest(text + " payco")
                self.assertEqual(self.found("payco " + text[:100] + " payco fees")[:1], ["pay"])
        self.assertEqual(self.found("zzzzqqqq unheard"), [])
        paste = "log line 12:03 GET /cart 200\n" * 35_000  # the question at the end of it counts
        self.assertEqual(self.found(paste + "which port does the staging proxy have?")[0], "port")

    def test_no_more_than_asked_for(self):
        self.archive.add([entry("p%d" % i, "another note about the port %d" % i) for i in range(40)])
        self.assertEqual((len(self.found("port")), len(self.found("port", 3))), (20, 3))

    def test_entries_that_are_known_already_leave_their_room_to_others(self):
        self.archive.add([entry("p%d" % i, "another note about the port %d" % i) for i in range(60)])
        known = {"p%d" % i for i in range(20, 60)}
        found = self.archive.closest("port of another note", 20, without=known)
        self.assertEqual((len(found), known & {entry.id for entry in found}), (20, set()))

    def test_what_was_refused_or_withdrawn_is_not_found_and_replaces_nothing(self):
        for mark in ("refused", "withdrawn"):
            self.archive.add([Entry("odd", "2026-12-01", "PayCo fees are high.", mark=mark, replaces="pay")])
            self.assertEqual(self.found("payco fees")[:1], ["pay"])
            self.assertNotIn("odd", self.found("payco fees"))
            self.assertEqual(self.archive.get(["odd"])[0].mark, mark)

    def test_replaced_entry_is_not_found_beside_or_without_its_successor(self):
        self.archive.add([Entry("new", "2026-12-01", "BarterBank instead.", replaces="pay")])
        self.assertNotIn("pay", self.found("payco fees for small carts"))
        self.assertEqual(self.found("barterbank")[:1], ["new"])
        self.archive.add([Entry("self", "2026-12-01", "odd circle", replaces="self")])
        self.assertEqual(self.found("odd circle")[:1], ["self"])


class Storing(ArchiveTest):
    def test_nothing_there_yet(self):
        self.assertEqual((self.found("port"), self.archive.ids()), ([], set()))
        self.assertFalse(os.path.exists(self.archive.path))

    def test_replaced_by_id_so_that_old_words_no_longer_find_it(self):
        self.archive.add([entry("k1", "we use pnpm"), entry("k2", "we use docker")])
        self.archive.add([entry("k1", "we moved to bun")])
        self.assertEqual((self.found("pnpm"), self.found("bun"), self.archive.ids()),
                         ([], ["k1"], {"k1", "k2"}))

    def test_index_agrees_with_the_table_after_many_replacements(self):
        maker = random.Random(7)
        words = ["port", "proxy", "staging", "payco", "Zugriffsverwaltung", "8443", "max_cart_items",
                 "\u6c7a\u6e08"]
        for _ in range(60):
            self.archive.add([entry("k%d" % maker.randrange(12),
                                    " ".join(maker.choices(words, k=maker.randrange(1, 9))))
                              for _ in range(3)])
        self.check_index()

    def test_failure_in_the_middle_stores_nothing_of_the_batch(self):
        self.archive.add([entry("k1", "zebra")])
        with self.assertRaises(AttributeError):
            self.archive.add([entry("k2", "zebra"), None])
        self.assertEqual(self.archive.ids(), {"k1"})
        self.check_index()

    def test_interpreter_without_full_text_search_and_back(self):
        with without_fts5():
            self.archive.add([entry("k1", "we use pnpm")])
            self.assertEqual(self.found("pnpm"), ["k1"])
        self.archive.add([entry("k2", "staging port")])
        self.assertEqual(self.found("pnpm"), ["k1"])
        self.check_index()
        with without_fts5():
            self.archive.add([entry("k1", "we moved to bun"), entry("k3", "zebra")])
            self.assertEqual((self.found("bun"), self.found("pnpm")), (["k1"], []))
        self.assertEqual((self.found("zebra"), self.found("bun"), self.found("pnpm")), (["k3"], ["k1"], []))
        self.archive.add([entry("k4", "lion")])
        self.check_index()

    def test_entries_are_counted_listed_and_got_by_id(self):
        self.assertEqual((self.archive.count(), list(self.archive.every()), self.archive.get(["k1"])), (0, [], []))
        self.archive.add([entry("k%d" % i, "number %d" % i) for i in range(1_201)])
        self.assertEqual(self.archive.count(), 1_201)
        self.assertEqual([each.id for each in self.archive.every()], ["k%d" % i for i in range(1_201)])
        self.assertEqual([each.text for each in self.archive.get(["k7", "none", "k3"])], ["number 7", "number 3"])
        self.assertEqual((self.archive.holds("k7"), self.archive.holds("none")), (True, False))

    def test_entry_that_is_there_is_not_touched_when_only_missing_ones_are_added(self):
        self.archive.add([entry("k1", "we use pnpm")])
        self.archive.add_missing([entry("k1", "we moved to bun"), entry("k2", "zebra")])
        self.assertEqual((self.found("pnpm"), self.found("bun"), self.found("zebra")), (["k1"], [], ["k2"]))
        self.check_index()

    def test_removed_entry_is_found_by_nothing_and_no_byte_of_it_is_left(self):
        self.archive.add([entry("n%d" % i, "the staging proxy, note %d" % i) for i in range(50)])
        self.archive.add([entry("k1", "the okapi lives in Zanzibar"), entry("k2", "zebra")])
        with self.archive._connected() as open_elsewhere:
            open_elsewhere.execute("SELECT count(*) FROM entries").fetchone()
            self.archive.remove(["k1", "unheard of"])
        self.assertEqual((self.found("okapi zanzibar"), self.found("zebra"), self.archive.count()), ([], ["k2"], 51))
        self.check_index()
        folder = os.path.dirname(self.archive.path)
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read().lower()
            self.assertFalse([word for word in (b"okapi", b"zanzibar", b"nzib") if word in content], name)

    def test_removing_from_what_is_not_there_makes_nothing(self):
        self.archive.remove(["k1"])
        self.assertFalse(os.path.exists(self.archive.path))

    def test_files_are_private_while_open_too(self):
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        self.archive.add([entry("k1")])
        with self.archive._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE entries SET date = ''")
            folder = os.path.dirname(self.archive.path)
            modes = {name: stat.S_IMODE(os.stat(os.path.join(folder,
                                                             name)).st_mode) for name in os.listdir(folder)}
            connection.execute("ROLLBACK")
        self.assertEqual(modes, {"archive.db": 0o600, "archive.db-wal": 0o600, "archive.db-shm": 0o600})


class OldFormat(ArchiveTest):
    """A file as the first versions wrote it: terms of memsift/terms.py, and an index with positions."""

    def make(self, entries):
        connection = sqlite3.connect(self.archive.path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(
            "CREATE TABLE entries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, date TEXT NOT NULL, text TEXT NOT NULL, "
            "files TEXT NOT NULL, said TEXT NOT NULL, turn TEXT NOT NULL, mark TEXT NOT NULL, replaces TEXT NOT NULL, "
            "terms TEXT NOT NULL)")
        connection.execute("CREATE INDEX replacing ON entries (replaces) WHERE replaces <> ''")
        connection.execute("CREATE VIRTUAL TABLE search USING fts5(terms, content='', columnsize=1, tokenize='ascii')")
        rows = [(each.id, each.text, "\n".join(each.files), each.replaces,
                 " ".join(terms(" ".join([each.text] + each.files)))) for each in entries]
        connection.executemany("INSERT INTO entries (id, date, text, files, said, turn, mark, replaces, terms) "
                               "VALUES (?, '2026-01-01', ?, ?, 'agent', 's/t', '', ?, ?)", rows)
        connection.execute("INSERT INTO search (rowid, terms) SELECT number, terms FROM entries")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
        connection.close()

    def setUp(self):
        super().setUp()
        self.make([entry(id, text, names) for id, text, names, _ in ENTRIES]
                  + [entry("n%d" % i, "the nightly report %d" % i) for i in range(1_000)])

    def test_it_is_searched_as_it_is(self):
        for patch in (contextlib.nullcontext(), without_fts5()):
            with patch:
                self.assertEqual(self.found("payco fees")[:1], ["pay"])
                self.assertEqual(self.found("Verwaltung")[:1], ["zug"])
                self.assertEqual(self.archive.count(), 1_000 + len(ENTRIES))

    def test_first_writer_brings_it_up_to_date_without_loss(self):
        before = [[getattr(each, name) for name in Entry.__slots__] for each in self.archive.every()]
        self.archive.add([entry("k1", "zebra")])
        after = [[getattr(each, name) for name in Entry.__slots__] for each in self.archive.every()]
        self.assertEqual(after[:-1], before)
        self.check_index()
        for id, _, _, questions in ENTRIES:
            for question in questions:
                self.assertEqual(self.found(question)[:1], [id], question)

    def test_first_writer_without_full_text_search_and_the_next_one_with_it(self):
        with without_fts5():
            self.archive.add([entry("k1", "zebra")])
            self.assertEqual(self.found("prepayments")[:1], ["pay"])
        self.assertEqual(self.found("prepayments")[:1], ["pay"])
        self.archive.add([entry("k2", "lion")])
        self.assertEqual(self.found("prepayments")[:1], ["pay"])
        self.check_index()

    def test_old_one_stands_whole_where_bringing_it_up_to_date_fails(self):
        with mock.patch.object(archive_index, "make", side_effect=sqlite3.OperationalError("database or disk is full")), \
                self.assertRaises(sqlite3.OperationalError):
            self.archive.add([entry("k1", "zebra")])
        self.assertEqual((self.found("payco fees")[:1], self.archive.holds("k1")), (["pay"], False))


if __name__ == "__main__":
    unittest.main()
