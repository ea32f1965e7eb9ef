"""`python3 -m memsift status`: one screen, and no network."""

import json
import os
import unittest

from memsift import notes
from memsift import pending
from memsift import project
from memsift import switch
from memsift.archive.archive import Archive
from memsift.entry import Entry
from memsift.remote.pauses import Pauses
from tests.commands.running import CommandTest
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import hang


class StatusTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.name = project.identify(self.project, self.user_home).name

    def status(self, **where):
        code, output, errors = self.run_command("status", "--json", **where)
        self.assertEqual((code, errors), (0, ""))
        return json.loads(output)

    def test_before_anything_was_remembered(self):
        facts = self.status()
        self.assertEqual(facts["remembered"], "nothing yet")
        self.assertEqual((facts["judge"], facts["Codex"]), ("the embedded sorter", "no hook has run yet"))
        self.assertEqual(os.listdir(self.user_home), [])

    def test_what_is_remembered_and_what_waits(self):
        notes.append(self.home, self.name, [Entry("k1", "2026-11-30", "We use Postgres.")])
        Archive(self.home.archive(self.name)).add([Entry("k2", "2026-11-30", "Carts expire."), Entry("k3",
                                                                                                     "2026-11-30",
                                                                                                     "No Redis.")])
        pending.append(self.home, self.name, {"id": "s/t", "session": "s", "turn": "t", "prompts": ["x"]})
        self.hook("codex", "session-start", self.payload("codex", "SessionStart", source="startup"),
                  dict(self.environment, MEMSIFT_SORTER="off"))
        facts = self.status()
        self.assertEqual((facts["remembered"], facts["waiting"]),
                         ("1 note, 2 in the archive", "1 turn to be sorted, 0 packets to be sent"))
        code, output, _ = self.run_command("status")
        self.assertLessEqual(output.count("\n"), 24)

    def test_paused_service_is_told_and_not_asked(self):
        with ScriptedHttp(hang) as server:
            os.mkdir(self.memsift_home)
            self.environment.update(MEMSIFT_JEV_URL=server.url)
            Pauses(self.home.state).failed("jev", 401, "bad key")
            self.assertRegex(self.status()["jev"], r"^paused since 20\d\d-.* UTC: bad key \(http://127")
            self.assertEqual(server.requests, [])

    def test_memory_that_is_off_and_folder_without_a_project(self):
        switch.turn_off(self.home, self.name)
        self.assertEqual(self.status()["memory"], "off")
        self.assertIn("belongs to no project", self.status(folder=self.user_home)["repository"])


if __name__ == "__main__":
    unittest.main()
