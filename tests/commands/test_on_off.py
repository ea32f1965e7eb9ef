"""Memory off and on for one repository: while it is off, its hooks end at once in both hosts."""

import os
import unittest

from memsift import pending
from memsift import project
from tests.commands.running import CommandTest
from tests.support import make_repository


class OnOffTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.name = project.identify(self.project, self.user_home).name

    def hear(self, prompt, folder=None, session="s1"):
        for host in ("claude-code", "codex"):
            name = session + host
            payload = dict(self.payload(host, "UserPromptSubmit", prompt=prompt, session_id=name),
                           cwd=folder or self.project)
            self.hook(host, "prompt", payload)
            self.hook(host, "interrupt",
                      dict(payload, hook_event_name="StopFailure" if host == "claude-code" else "Interrupt"))

    def test_off_repository_ends_every_hook_and_on_wakes_it(self):
        other = make_repository(os.path.join(self.folder, "other"))
        code, output, errors = self.run_command("off")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("Memory is off for %s. What is remembered stays." % self.name, output)
        self.assertIn("as it was", self.run_command("off")[1])
        before = self.everything()
        self.hear("We use Postgres.")
        self.hear("We use Postgres.", os.path.join(self.project, ".git"))
        changed = {path for path, content in self.everything().items() if before.get(path) != content and "cache" not in path}
        self.assertEqual(changed, set())
        self.hear("Other business.", other, "s2")
        self.assertTrue(os.path.isdir(os.path.join(self.memsift_home, "sessions")))
        self.assertIn("Memory is on for %s.\n" % self.name, self.run_command("on")[1])
        self.assertIn("as it was", self.run_command("on")[1])
        self.assertFalse(os.path.exists(os.path.join(self.memsift_home, "off")))
        self.hear("We use Postgres.")
        self.assertTrue(os.path.exists(self.home.session("s1codex")))

    def test_session_that_began_here_is_off_wherever_it_goes(self):
        self.hear("hello")
        self.wait_for(lambda: not pending.read(self.home, self.name))
        self.run_command("off")
        before = self.everything()
        self.hear("We use Postgres.", self.folder)
        changed = {path for path, content in self.everything().items() if before.get(path) != content and "cache" not in path}
        self.assertEqual({path for path in changed if "sessions" in path or "pending" in path}, set())

    def test_folder_without_a_project(self):
        for command in ("on", "off"):
            code, output, errors = self.run_command(command, folder=self.user_home)
            self.assertEqual((code, output), (1, ""))
            self.assertIn("belongs to no project: go into one", errors)


if __name__ == "__main__":
    unittest.main()
