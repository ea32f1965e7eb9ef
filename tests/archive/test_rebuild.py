import os
import random
import sqlite3
from unittest import main
from unittest import mock

from memsift import lock
from memsift.archive import archive_index
from memsift.archive import rebuild
from memsift.archive.archive import Archive
from tests.archive.test_archive import ArchiveTest
from tests.archive.test_archive import entry

PAGE = 4096


class RebuildTest(ArchiveTest):
    def setUp(self):
        super().setUp()
        self.archive.add([entry("k%d" % i, "the service%d listens on port %d" % (i, 9000 + i)) for i in range(400)])

    def damage(self, pages):
        """Overwrite some pages of the file, numbered as SQLite numbers them."""
        with open(self.archive.path, "r+b") as file:
            for page in pages:
                file.seek((page - 1) * PAGE)
                file.write(random.Random(page).randbytes(PAGE) if hasattr(random.Random, "randbytes") else b"\xa5" * PAGE)

    def leaf_pages(self):
        """The pages that hold rows of the table."""
        with open(self.archive.path, "rb") as file:
            raw = file.read()
        return [number for number in range(2, len(raw) // PAGE + 1)
                if raw[(number - 1) * PAGE] == 13 and raw[(number - 1) * PAGE:number * PAGE].count(b"the service") > 1]

    def rebuild(self, known=()):
        return rebuild.rebuild(self.archive, lambda: list(known))


class Rebuild(RebuildTest):
    def test_rows_around_the_damage_are_read_back(self):
        leaves = self.leaf_pages()
        self.assertGreater(len(leaves), 10)
        self.damage([leaves[len(leaves) // 2]])
        told = self.rebuild()
        kept = self.archive.ids()
        self.assertGreater(len(kept), 400 - 3 * 400 // len(leaves))
        self.assertLess(len(kept), 400)
        self.assertIn("corrupt, set aside", told)
        self.assertIn("read back from it: %d" % len(kept), told)
        self.assertEqual(self.found("service3 port 9003")[:1], ["k3"])
        self.check_index()
        aside, = self.archive.set_aside_files()
        self.assertTrue(aside.endswith(".read-%d" % len(kept)), aside)
        self.assertIn(aside, told)

    def test_what_other_files_hold_is_put_back_and_does_not_overwrite_what_was_read(self):
        self.damage([1])
        self.rebuild([entry("k1", "as the digest has it"), entry("d1", "zebra")])
        self.assertIn("d1", self.archive.ids())
        self.damage(self.leaf_pages()[:1])
        self.rebuild([entry("d1", "an older copy")])
        self.assertEqual([each.text for each in self.archive.get(["d1"])], ["zebra"])

    def test_nothing_of_it_can_be_read(self):
        for raw in (b"no database " * 2_000, os.urandom(PAGE)):
            with open(self.archive.path, "wb") as file:
                file.write(raw)
            self.rebuild([entry("d1", "zebra")])
            self.assertEqual(self.found("zebra"), ["d1"])

    def test_damaged_index_is_made_again_without_losing_an_entry(self):
        for which in ("id > 10", "id = 10"):  # parts of it; where these are listed
            with self.subTest(which):
                connection = sqlite3.connect(self.archive.path)
                connection.execute("UPDATE search_data SET block = x'ff0102ff0304ff0506ff' WHERE " + which)
                connection.commit()
                connection.close()
                with self.assertRaises(sqlite3.DatabaseError) as caught:
                    self.archive.closest("service3 port 9003")
                self.assertTrue(rebuild.is_corrupt(caught.exception))
                self.rebuild()
                self.assertEqual((self.found("service3 port 9003")[:1], self.archive.count()), (["k3"], 400))
                self.check_index()

    def test_sound_archive_stays_where_it_is(self):
        before = self.archive.ids()
        self.rebuild()
        self.assertEqual((self.archive.ids(), self.archive.set_aside_files()), (before, []))

    def test_entries_that_were_only_in_the_log_beside_the_file_are_read_back(self):
        with self.archive._connected() as connection:  # holds the log, as a killed process leaves it
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM entries").fetchone()
            self.archive.add([entry("late", "zebra")])
            self.assertTrue(os.path.getsize(self.archive.path + "-wal"))
            self.archive.set_aside()
            told = rebuild.go_on(self.archive, lambda: [])
        self.assertIn("401", told)
        self.assertEqual(self.found("zebra"), ["late"])

    def test_killed_while_reading_back_the_next_one_goes_on(self):
        self.damage(self.leaf_pages()[:1])
        real = Archive.add_missing

        def killed(archive, entries):
            if entries:
                raise KeyboardInterrupt
            real(archive, entries)
        with mock.patch.object(Archive, "add_missing", killed), self.assertRaises(KeyboardInterrupt):
            self.rebuild()
        self.archive.add([entry("k3", "a newer text about the okapi")])
        self.assertEqual(len(rebuild.unread(self.archive)), 1)
        self.assertIn("read back", rebuild.go_on(self.archive, lambda: []))
        self.assertGreater(self.archive.count(), 300)
        self.assertEqual(self.found("okapi"), ["k3"])
        self.assertEqual(rebuild.go_on(self.archive, lambda: []), "")

    def test_another_process_at_it_is_waited_for_and_then_left_alone(self):
        with lock.held(self.archive.path + ".lock"), mock.patch.object(rebuild, "_SECONDS", 0.05), \
                self.assertRaises(lock.Locked):
            self.rebuild()

    def test_errors_that_pass_are_no_corruption(self):
        for error in (sqlite3.OperationalError("database is locked"), sqlite3.ProgrammingError("closed"), OSError("full")):
            self.assertFalse(rebuild.is_corrupt(error))
        self.assertTrue(rebuild.is_corrupt(sqlite3.DatabaseError("database disk image is malformed")))

    def test_forgotten_entry_is_gone_from_what_was_set_aside_and_read_back_as_well(self):
        self.damage(self.leaf_pages()[-1:])
        self.rebuild()
        self.assertEqual(len(self.archive.set_aside_files()), 1)
        self.archive.remove(["k1"])
        self.assertEqual(self.archive.set_aside_files(), [])
        self.assertFalse(self.archive.holds("k1"))

    def test_writer_that_was_at_it_while_the_file_was_set_aside_writes_again(self):
        real = archive_index.put

        def put(connection, number, terms):
            if not self.archive.set_aside_files():
                self.archive.set_aside()
            real(connection, number, terms)
        with mock.patch.object(archive_index, "put", put):
            self.archive.add([entry("z1", "zebra")])
        self.assertEqual((self.archive.ids(), self.found("zebra")), ({"z1"}, ["z1"]))


if __name__ == "__main__":
    main()
