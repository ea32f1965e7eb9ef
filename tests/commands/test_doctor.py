"""`python3 -m memsift doctor`, as a user runs it."""

import json
import os
import stat
import unittest

from memsift.remote.pauses import Pauses
from tests.commands.running import CommandTest
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers


class DoctorTest(CommandTest):
    def test_new_machine_has_no_problem_and_nothing_is_written(self):
        before = self.everything()
        code, output, errors = self.run_command("doctor")
        self.assertEqual((code, errors), (0, ""))
        self.assertTrue(output.startswith("memsift doctor: no problem, 1 piece of advice.\n\n 1. This repository has no card"),
                        output)
        for title in ("services", "Claude Code", "Codex", "settings", "waiting", "locks", "memory", "machine", "what leaves this machine"):
            self.assertIn("\n%s\n" % title, output)
        self.assertTrue(all(len(line) <= 110 or " " not in line.strip() for line in output.splitlines()))
        self.assertEqual(self.everything(), before)
        self.assertEqual(os.listdir(self.user_home), [])

    def test_problem_gives_exit_code_1_and_nothing_is_resumed(self):
        with ScriptedHttp(answers({"error": "no"}, "401 Unauthorized")) as server:
            self.environment.update(MEMSIFT_JEV_URL=server.url, MEMSIFT_JEV_KEY="invented")
            os.mkdir(self.memsift_home, 0o700)
            Pauses(self.home.state).failed("jev", 401, "bad key")
            before = self.everything()
            code, output, _ = self.run_command("doctor", "--json")
        self.assertEqual(code, 1)
        report = json.loads(output)
        self.assertEqual([finding["weight"] for finding in report["findings"]], ["problem", "problem", "advice"])
        for finding in report["findings"]:
            self.assertEqual(set(finding), {"weight", "what", "why", "do"})
            self.assertTrue(all(finding.values()))
        self.assertNotIn("invented", output)
        self.assertEqual(self.everything(), before)

    def test_files_are_private_to_nobody_else_after_it(self):
        self.run_command("doctor")
        os.mkdir(self.memsift_home, 0o700)
        self.run_command("doctor")
        self.assertEqual(stat.S_IMODE(os.stat(self.memsift_home).st_mode), 0o700)
        self.assertEqual(os.listdir(self.memsift_home), [])


if __name__ == "__main__":
    unittest.main()
