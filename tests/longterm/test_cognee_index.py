import json
import os
import statistics
import time
import unittest

from memsift.longterm import cognee_index
from memsift.longterm.cognee import Dataset
from memsift.longterm.cognee import Document
from tests.support import HomeTest

NAME = "acme-shop-0123456789"
SERVER = "http://127.0.0.1:8000"


class CogneeIndex(HomeTest):
    def write(self, datasets, held):
        cognee_index.write(self.home, NAME, SERVER, 1_796_000_000, datasets, held)

    def load(self):
        return cognee_index.load(self.home, NAME)

    def overwrite(self, content):
        with open(self.home.cognee_index(NAME), "wb") as file:
            file.write(content)

    def test_what_is_written_is_read(self):
        held = [Document("x1", "k1", 120, "2026-11-30T01:00:00"), Document("x2", 'k"2\n\u2028', None, "")]
        self.write([Dataset("d1", "memsift-a", "2026"), Dataset("d2", "wïki\n", "")], {"d1": held})
        found = self.load()
        self.assertEqual((found.server, found.refreshed, found.datasets), (SERVER, 1_796_000_000.0, {"memsift-a": "d1", "wïki\n": "d2"}))
        found = cognee_index.documents(self.home, NAME, "memsift-a")
        self.assertEqual([(each.id, each.name, each.size, each.updated) for each in found],
                         [(each.id, each.name, each.size, each.updated) for each in held])
        self.assertEqual(cognee_index.documents(self.home, NAME, "wïki\n"), [])
        self.assertEqual(cognee_index.documents(self.home, NAME, "nothing"), [])
        self.assertEqual(cognee_index.document_ids(self.home, NAME, ["memsift-a", "wïki\n", "nothing"]), {"x1", "x2"})

    def test_file_is_one_json_object_with_a_line_per_document(self):
        self.write([Dataset("d1", "a", ""), Dataset("d2", "b", "")],
                   {"d1": [Document("x1", "k1", 1, ""), Document("x2", "k2", 1, "")], "d2": []})
        with open(self.home.cognee_index(NAME), encoding="utf-8") as file:
            facts = json.load(file)
        self.assertEqual([each["documents"] for each in facts["datasets"]], [2, 0])
        self.assertEqual(facts["documents"], {"d1": [["x1", "k1", 1, ""], ["x2", "k2", 1, ""]], "d2": []})

    def test_empty_server(self):
        self.write([], {})
        self.assertEqual(self.load().datasets, {})
        self.assertEqual(self.load().refreshed, 1_796_000_000.0)

    def test_missing_or_broken_index_is_none(self):
        self.assertEqual((self.load().refreshed, self.load().datasets), (0.0, {}))
        for content in (b"", b"\0" * 50, b"{", b"[" * 100_000, b"[]\n", b'{"server": "%s", "datasets": 7, "refreshed": "x"}\n' % SERVER.encode(),
                        b'{"server": "%s", "refreshed": 0, "datasets": [7, {"name": 1, "id": 2}, {"name": "x"}]}\n' % SERVER.encode(), b"x" * 5_000_000):
            self.overwrite(content)
            self.assertEqual((self.load().refreshed, self.load().datasets), (0.0, {}), content[:40])
            self.assertEqual(cognee_index.documents(self.home, NAME, "x"), [])

    def test_very_large_dataset_is_bounded(self):
        most = cognee_index.MOST_DOCUMENTS
        self.write([Dataset("d1", "a", "")], {"d1": [Document("x%d" % i, "k", 1, "") for i in range(most + 10)]})
        self.assertEqual(len(cognee_index.documents(self.home, NAME, "a")), most)
        with open(self.home.cognee_index(NAME), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["datasets"][0]["documents"], most + 10)

    def test_names_of_a_large_store_are_read_without_its_documents(self):
        """A prompt reads them: a few documents or 20,000 cost it the same."""
        def cost():
            laps = []
            for _ in range(50):
                start = time.perf_counter()
                self.load()
                laps.append(time.perf_counter() - start)
            return statistics.median(laps)
        self.write([Dataset("d1", "a", "")], {"d1": [Document("x", "k", 1, "")]})
        few = cost()
        self.write([Dataset("d1", "a", "")], {"d1": [Document("x%032d" % i, "k%09d" % i, 1, "2026-11-30T01:00:00") for i in range(20_000)]})
        self.assertGreater(os.path.getsize(self.home.cognee_index(NAME)), 1_000_000)
        self.assertLess(cost(), 5 * few + 0.001)


if __name__ == "__main__":
    unittest.main()
