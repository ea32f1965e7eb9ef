import os
import re
import subprocess
import unittest
from unittest import mock

from memsift import announcement
from memsift import conversation
from memsift.pauses import Pause
from tests.support import ROOT
from tests.support import HomeTest

PAUSE = Pause("jev", "2026-11-30 04:25 UTC", "HTTP 401: the key is not known.", 1)
SILENT = ("found", "nothing", "no note", "no memory", "empty")


class Wording(unittest.TestCase):
    def test_what_since_when_why_what_now_and_how_to_resume(self):
        told = announcement.for_user(PAUSE)
        for part in ("memsift paused Jev", "2026-11-30 04:25 UTC", "HTTP 401: the key is not known. Until",
                     "embedded sorter judges", "turns wait", "To resume", "python3 -B -m memsift resume"):
            self.assertIn(part, told)
        self.assertNotIn("\n", told)

    def test_outage_is_never_worded_as_nothing_found(self):
        for told in (announcement.for_user(PAUSE), announcement.for_agent(PAUSE)):
            without_path = told.replace(ROOT, "")
            self.assertEqual([word for word in SILENT if word in without_path.lower().replace("no note but", "")], [])

    def test_agent_is_told_that_it_is_for_the_user(self):
        told = announcement.for_agent(PAUSE)
        self.assertTrue(told.startswith(conversation.HEADER_START + " "))
        self.assertIn("message for the user, please pass it on", told)
        self.assertIn(announcement.for_user(PAUSE), told)

    def test_it_reads_as_no_note(self):
        self.assertEqual(conversation.given_ids(announcement.for_agent(PAUSE)), [])

    def test_service_without_words_of_its_own(self):
        told = announcement.for_user(Pause("cognee", "2026-11-30 04:25 UTC", "HTTP 500", 2))
        self.assertIn("memsift paused cognee", told)
        self.assertIn("HTTP 500", told)


class Command(HomeTest):
    """The command that is told, as a user would paste it into a shell."""

    def run_it(self):
        command = re.search(r"run in the project: (.*)$", announcement.for_user(PAUSE)).group(1)
        return subprocess.run(["/bin/sh", "-c", command], cwd=self.project, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)

    def test_it_runs_from_the_project_and_leaves_the_plugin_alone(self):
        plugin = os.path.join(self.folder, "plug 'in $HOME")
        os.mkdir(plugin)
        subprocess.run(["cp", "-r", os.path.join(ROOT, "memsift"), plugin], check=True)
        before = self.files(plugin)
        with mock.patch.object(announcement, "ROOT", plugin):
            done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (0, "No service is set: everything is judged on this machine.\n"))
        self.assertEqual(self.files(plugin), before)

    def files(self, folder):
        return sorted(os.path.join(base, name) for base, _, names in os.walk(folder) for name in names)


if __name__ == "__main__":
    unittest.main()
