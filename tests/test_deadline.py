import time
import unittest
from unittest import mock

from memsift.deadline import Deadline


class DeadlineTest(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        patch = mock.patch("time.monotonic", lambda: self.now)
        patch.start()
        self.addCleanup(patch.stop)

    def test_counts_down_to_nothing_and_never_below(self):
        deadline = Deadline(2.0)
        for now, remaining, elapsed in ((100.0, 2.0, 0.0), (101.5, 0.5, 1.5), (102.0, 0.0, 2.0),
                                        (500.0, 0.0, 400.0)):
            self.now = now
            self.assertEqual((deadline.remaining(), deadline.elapsed()), (remaining, elapsed))

    def test_time_spent_before_it_was_made_counts(self):
        self.assertEqual(Deadline(2.0, started=99.0).remaining(), 1.0)

    def test_shorter_deadline_never_outlives_the_whole(self):
        whole = Deadline(16.0)
        for now, seconds, remaining in ((100.0, 2.0, 2.0), (115.0, 2.0, 1.0), (117.0, 2.0, 0.0)):
            self.now = now
            self.assertEqual(whole.within(seconds).remaining(), remaining)

    def test_clock_set_back_changes_nothing(self):
        deadline = Deadline(2.0)
        with mock.patch("time.time", lambda: 0.0):
            self.assertEqual(deadline.remaining(), 2.0)
            self.assertEqual(time.time(), 0.0)


if __name__ == "__main__":
    unittest.main()
