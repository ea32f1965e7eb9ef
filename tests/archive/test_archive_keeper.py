import sqlite3
import unittest
from unittest import mock

from memsift import notes
from memsift.archive.archive import Archive
from memsift.archive.archive_keeper import ArchiveKeeper
from memsift.entry import Entry
from memsift.log import Log
from memsift.longterm import outbox
from tests.archive.test_archive import entry
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
JUNK = b"this is no database " * 1_000


class Keeper(HomeTest):
    def setUp(self):
        super().setUp()
        self.archive = Archive(self.home.archive(REPOSITORY))
        self.archive.add([entry("k1", "we use pnpm")])

    def keeper(self):
        return ArchiveKeeper(self.home, REPOSITORY, Log(self.home.log))

    def spoil(self):
        with open(self.archive.path, "wb") as file:
            file.write(JUNK)

    def test_corrupt_archive_is_rebuilt_from_the_digest_and_from_packets_that_wait(self):
        with open(self.home.digest(REPOSITORY), "w", encoding="utf-8") as file:
            file.write(notes.format_line(Entry("d1", "2026-11-30", "We go with PayCo.")) + "\n")
        outbox.put(self.home, REPOSITORY, [Entry("p1", "2026-11-30", "The proxy is on 8443.")])
        notes.append(self.home, REPOSITORY, [Entry("n1", "2026-11-30", "The draft stays where it is.")])
        for act in (lambda keeper: keeper.alike("payco"), lambda keeper: keeper.holds("d1"),
                    lambda keeper: keeper.add([entry("k2", "zebra")])):
            self.spoil()
            act(self.keeper())
            self.assertLessEqual({"d1", "p1"}, self.archive.ids())
            self.assertNotIn("n1", self.archive.ids())
        self.assertEqual(self.archive.ids(), {"d1", "p1", "k2"})
        self.assertIn("archive is corrupt, set aside as", self.log_text())
        self.assertEqual(len(self.archive.set_aside_files()), 3)

    def test_busy_archive_is_told_to_the_log_and_nothing_is_set_aside(self):
        busy = sqlite3.OperationalError("database is locked")
        with mock.patch.object(Archive, "closest", side_effect=busy), mock.patch.object(Archive, "holds", side_effect=busy):
            self.assertEqual((self.keeper().alike("pnpm"), self.keeper().holds("k1")), ([], False))
        with mock.patch.object(Archive, "add", side_effect=busy), self.assertRaises(sqlite3.OperationalError):
            self.keeper().add([entry("k2")])  # whoever moves a note here must not drop it there
        self.assertIn("database is locked", self.log_text())
        self.assertEqual((self.archive.set_aside_files(), self.archive.ids()), ([], {"k1"}))

    def test_archive_that_a_killed_worker_had_only_set_aside_is_read_back(self):
        self.archive.set_aside()
        self.assertEqual([found.id for found in self.keeper().alike("pnpm")], ["k1"])
        self.assertIn("read back from it: 1", self.log_text())


if __name__ == "__main__":
    unittest.main()
