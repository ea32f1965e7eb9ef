import json
import multiprocessing
import os
import stat
import time
from unittest import mock

from memsift import lock
from memsift import recorder
from tests.support import HomeTest

FACTS = {"state": {"prompt": "Which port?"}, "questions": {"n0": {"type": "noul", "instructions": "Is it 8443?"}},
         "answers": {"n0": {"type": "noul", "noul": 0.5}}, "model": "typesafe/jev-1.13"}


def _record(path, times):
    for _ in range(times):
        recorder.record(path, FACTS)


class RecorderTest(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = self.home.recordings

    def records(self):
        with open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_each_record_is_one_line_that_can_be_read_back(self):
        odd = dict(FACTS, state={"prompt": "Two\nlines, \u4e2d\u6587, half an emoji \ud83d"})
        recorder.record(self.path, FACTS)
        recorder.record(self.path, odd)
        first, second = self.records()
        self.assertEqual(first, FACTS)
        self.assertTrue(second["state"]["prompt"].startswith("Two\nlines, \u4e2d\u6587"))

    def test_secrets_are_redacted(self):
        secret = "gh" + "p_" + "Zk3mQ9xT7vB2nL5wR8cY1dF6hJ4pS0aGuE2i"
        facts = dict(FACTS, state={"prompt": "It is %s." % secret}, questions={"n0": {"instructions": secret}})
        recorder.record(self.path, facts)
        with open(self.path, encoding="utf-8") as file:
            self.assertNotIn(secret, file.read())

    def test_it_is_private(self):
        recorder.record(self.path, FACTS)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(self.path)).st_mode), 0o700)

    def test_it_stops_at_its_bound(self):
        size = len(json.dumps(FACTS)) + 1
        with mock.patch.object(recorder, "MOST_BYTES", 3 * size):
            _record(self.path, 10)
        self.assertEqual(len(self.records()), 3)

    def test_what_cannot_be_written_is_no_error(self):
        started = time.monotonic()
        with lock.opened(self.path, 1):
            recorder.record(self.path, FACTS)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(self.records(), [])
        os.unlink(self.path)
        os.mkdir(self.path)
        recorder.record(self.path, FACTS)
        recorder.record(os.path.join(self.folder, "no", "such", "folder"), FACTS)

    def test_many_processes_at_once(self):
        panes = [multiprocessing.get_context("fork").Process(target=_record, args=(self.path, 20)) for _ in range(5)]
        for pane in panes:
            pane.start()
        for pane in panes:
            pane.join()
        self.assertEqual(self.records(), [FACTS] * len(self.records()))
        self.assertGreater(len(self.records()), 20)
