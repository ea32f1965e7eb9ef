import os
import tempfile
from unittest import mock

from memsift import spawn
from memsift.replay.claude_code import ClaudeCode
from memsift.replay.stage import Stage
from memsift.settings import Settings
from tests.support import HomeTest


class StageTest(HomeTest):

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(tempfile, "tempdir", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def test_leaves_nothing_behind(self):
        before = sorted(os.listdir(self.folder))
        with Stage("acme-shop", Settings()) as stage:
            self.assertNotEqual(sorted(os.listdir(self.folder)), before)
            self.assertEqual(os.path.basename(stage.project), "acme-shop")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        with self.assertRaises(KeyboardInterrupt), Stage("acme-shop", Settings()):
            raise KeyboardInterrupt
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_touches_neither_the_users_home_nor_the_environment(self):
        os.makedirs(self.memsift_home)
        environment = dict(os.environ)
        with mock.patch.object(spawn, "worker", side_effect=AssertionError("a worker was started")):
            with Stage("acme-shop", Settings()) as stage:
                host = ClaudeCode(stage.transcripts, "s1", stage.project)
                stage.day = "2026-03-02"
                for moment, payload in (("session-start", host.starts("startup")), ("prompt", host.prompts("t1", "hi")),
                                        ("answer", host.answers("t1", "ho")), ("session-end", host.ends())):
                    stage.hook(host.NAME, moment, payload)
                    stage.sort_turns()
                self.assertTrue(os.listdir(stage.home.sessions))
        self.assertEqual(os.listdir(self.memsift_home), [])
        self.assertEqual(os.listdir(self.user_home), [".memsift"])
        self.assertEqual(dict(os.environ), environment)

    def test_any_project_name_makes_a_folder(self):
        for name in ("", "..", "/", "Acme Shop é", "-x-", "a" * 300, "a/../../b"):
            with self.subTest(name[:20]), Stage(name, Settings()) as stage:
                self.assertTrue(os.path.isdir(stage.project))
                self.assertEqual(os.path.dirname(stage.project), os.path.dirname(stage.home.root))
