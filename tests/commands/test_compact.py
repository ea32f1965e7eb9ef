import contextlib
import io
import json
import os
import unittest

from memsift import __main__ as program
from memsift import lock
from memsift import notes
from memsift import project
from memsift.entry import Entry
from tests.support import HomeTest


class Compact(HomeTest):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        os.chdir(self.project)
        self.addCleanup(os.chdir, before)
        self.name = project.identify(self.project, self.user_home).name

    def run_it(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        out.reconfigure = err.reconfigure = lambda **_: None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = program.main(["compact", *arguments])
        return code, out.getvalue() + err.getvalue()

    def test_it_says_what_it_did(self):
        notes.append(self.home, self.name, [Entry("k1", "2026-11-30", "We use PayCo.", turn="s/1"),
                                            Entry("k2", "2026-11-30", "we use payco", turn="s/2")])
        self.assertEqual(self.run_it(), (0, "1 notes moved on; of the others: 1 repeated.\n"))
        self.assertEqual(self.run_it(), (0, "There was nothing to compact.\n"))
        self.assertEqual(json.loads(self.run_it("--json")[1])["changes"], 0)

    def test_another_process_at_it(self):
        with lock.held(self.home.compaction_lock(self.name)):
            code, said = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("another process", said)


if __name__ == "__main__":
    unittest.main()
