import os
import unittest

from memsift import files
from memsift.longterm import processing
from memsift.longterm.processing import Unprocessed
from tests.support import HomeTest

NAME = "acme-shop-0123456789"


class Processing(HomeTest):
    def test_what_is_written_is_read_until_it_is_cleared(self):
        self.assertIsNone(processing.load(self.home, NAME))
        processing.write(self.home, NAME, Unprocessed(1_796_000_000.5, 2, "it ended as errored"))
        found = processing.load(self.home, NAME)
        self.assertEqual((found.since, found.repairs, found.problem), (1_796_000_000.0, 2, "it ended as errored"))
        processing.clear(self.home, NAME)
        processing.clear(self.home, NAME)
        self.assertIsNone(processing.load(self.home, NAME))

    def test_broken_file_says_that_something_is_not_processed(self):
        for content in ("{", "[]", "7", '{"since": "x"}', '{"since": null}', "{}", '{"since": 1, "repairs": []}'):
            files.write_text(self.home.processing(NAME), content)
            self.assertFalse(processing.load(self.home, NAME).is_recent(1_796_000_000.0), content)

    def test_unreadable_file_is_not_taken_for_an_absent_one(self):
        os.mkdir(self.home.processing(NAME))
        with self.assertRaises(OSError):
            processing.load(self.home, NAME)

    def test_time_in_the_future_is_not_waited_for(self):
        self.assertTrue(Unprocessed(1_000.0).is_recent(1_000.0))
        self.assertFalse(Unprocessed(1_000.0).is_recent(1_000.0 + processing.PATIENCE_SECONDS))
        self.assertFalse(Unprocessed(1_000.0).is_recent(999.0))


if __name__ == "__main__":
    unittest.main()
