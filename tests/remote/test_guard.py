import os
import unittest

from memsift.log import Log
from memsift.remote.guard import Guard
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed
from tests.support import HomeTest


class GuardTest(HomeTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.memsift_home)
        self.guard = Guard("cognee", Pauses(self.home.state), Log(self.home.log))

    def test_failure_is_logged_in_one_line_and_counted(self):
        for number in range(3):
            self.assertIsNone(self.guard.pause())
            self.guard.failed("core-prompt", Failed(0, "no answer", None, 12.0))
        self.assertRegex(self.log_text(), r"(?m)^\S+ ERROR core-prompt cognee status=0 duration=12\.000 no answer$")
        self.assertEqual((self.guard.pause().service, self.guard.pause().reason), ("cognee", "no answer"))

    def test_what_is_only_noted_does_not_count(self):
        for _ in range(5):
            self.guard.note("core-prompt", Failed(404, "no such dataset"))
        self.assertIn("cognee status=404", self.log_text())
        self.assertIsNone(self.guard.pause())

    def test_success_resets_the_count(self):
        for status in (500, 500, None, 500, 500):
            if status:
                self.guard.failed("core-prompt", Failed(status, "busy"))
            else:
                self.guard.succeeded()
        self.assertIsNone(self.guard.pause())

    def test_state_that_cannot_be_used_stops_nothing_and_is_told(self):
        os.mkdir(self.home.state)
        self.assertIsNone(self.guard.pause())
        self.guard.failed("core-prompt", Failed(500, "busy"))
        self.guard.succeeded()
        for words in ("state not read", "failure not counted", "success not counted"):
            self.assertIn(words, self.log_text())


if __name__ == "__main__":
    unittest.main()
