import json
import multiprocessing
import os
import unittest

from memsift.remote.pauses import Pauses
from tests.support import HomeTest


def _fail(path, times):
    for _ in range(times):
        Pauses(path).failed("jev", 500, "HTTP 500")


class PausesTest(HomeTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.memsift_home)
        self.path = os.path.join(self.memsift_home, "state.json")
        self.pauses = Pauses(self.path)

    def facts(self, service="jev"):
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)["services"][service]

    def test_what_pauses(self):
        table = [
            ([500, 500], False), ([500, 500, 500], True), ([0, 502, 400], True), ([401], True), ([403], True),
            ([429] * 20, False), ([529] * 20, False), ([500, 429, 500, 529, 429], False), ([500, 429, 500, 529, 500], True),
        ]
        for statuses, paused in table:
            with self.subTest(statuses):
                for status in statuses:
                    self.pauses.failed("jev", status, "HTTP %d" % status)
                self.assertEqual(self.pauses.of("jev") is not None, paused)
                if os.path.exists(self.path):
                    os.unlink(self.path)

    def test_success_resets_the_count_and_lifts_nothing(self):
        for status in (500, 500):
            self.pauses.failed("jev", status, "x")
        self.pauses.succeeded("jev")
        self.pauses.failed("jev", 500, "x")
        self.assertIsNone(self.pauses.of("jev"))
        self.pauses.failed("jev", 401, "bad key")
        self.pauses.succeeded("jev")
        self.assertEqual((self.pauses.of("jev").reason, self.facts()["failures"]), ("bad key", 0))

    def test_each_outage_has_a_number_of_its_own(self):
        self.pauses.failed("jev", 401, "x")
        first = self.pauses.of("jev").outage
        self.pauses.failed("jev", 401, "x")
        self.assertEqual(self.pauses.of("jev").outage, first)
        self.pauses.resume("jev")
        self.assertIsNone(self.pauses.of("jev"))
        self.pauses.failed("jev", 401, "x")
        self.assertGreater(self.pauses.of("jev").outage, first)

    def test_services_are_apart(self):
        self.pauses.failed("cognee", 401, "x")
        self.assertIsNone(self.pauses.of("jev"))
        self.assertIsNotNone(self.pauses.of("cognee"))

    def test_ten_processes_at_once_count_right(self):
        context = multiprocessing.get_context("fork")
        panes = [context.Process(target=_fail, args=(self.path, 10)) for _ in range(10)]
        for pane in panes:
            pane.start()
        for pane in panes:
            pane.join()
        self.assertEqual((self.facts()["failures"], self.facts()["outages"]), (100, 1))

    def test_broken_file_is_set_aside(self):
        for content in ("{", "[]", "\0\0", "3"):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(content)
            self.assertIsNone(self.pauses.of("jev"))
        with open(self.path + ".broken", encoding="utf-8") as file:
            self.assertEqual(file.read(), "3")

    def test_fields_of_another_type_and_of_a_newer_version(self):
        with open(self.path, "w", encoding="utf-8-sig") as file:
            json.dump({"version": 9, "new": [1], "services": {"jev": {"failures": "many", "outages": -3, "new": 1}, "cognee": 7}}, file)
        self.pauses.failed("jev", 401, "x")
        self.pauses.failed("cognee", 500, "x")
        with open(self.path, encoding="utf-8") as file:
            state = json.load(file)
        self.assertEqual((state["version"], state["new"], state["services"]["jev"]["new"]), (9, [1], 1))
        self.assertEqual((state["services"]["jev"]["failures"], state["services"]["cognee"]["failures"]), (1, 1))

    def test_unreadable_file_is_not_an_empty_one(self):
        os.mkdir(self.path)
        with self.assertRaises(OSError):
            self.pauses.of("jev")


if __name__ == "__main__":
    unittest.main()
