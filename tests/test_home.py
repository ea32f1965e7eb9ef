import os
import stat
import unittest

from memsift import home
from memsift.home import Home
from memsift.home import NoHome
from tests.support import HomeTest

HOSTILE = ["../../x", "a/b", "", ".", "..", "a\0b", "n" * 5000, "-x", "\u00e4\u2028\U0001f600", "half \ud83d",
           "\udc80",
           "/etc/passwd", "~", "a b", "a\n", "\n", ".hidden", "a/../b", "C:\\x", "con\r", "x" * 101]
HARMLESS = ["3a4003bc-9149-43d7-8a5a-71699cc4a209", "a", "A.b_c-9", "x" * 100, "0199..x"]


class Locate(HomeTest):
    def test_home_that_is_no_folder_is_refused_with_advice(self):
        file = os.path.join(self.folder, "file")
        open(file, "wb").close()
        for environment in ({}, {"HOME": ""}, {"HOME": "relative"}, {"HOME": "."}, {"HOME": "~"},
                            {"HOME": "/nonexistent"},
                            {"HOME": file}, {"HOME": self.user_home, "MEMSIFT_HOME": "relative"},
                            {"HOME": self.user_home, "MEMSIFT_HOME": "~/.memsift"}, {"MEMSIFT_HOME": "."}):
            with self.subTest(environment=environment), self.assertRaisesRegex(NoHome, "HOME"):
                home.locate(environment)

    def test_chosen_home_wins_and_needs_no_other(self):
        for environment, found in (({"HOME": self.user_home}, self.memsift_home),
                                   ({"HOME": self.user_home + "/", "MEMSIFT_HOME": ""}, self.memsift_home),
                                   ({"MEMSIFT_HOME": "/var/./memory/"}, "/var/memory"),
                                   ({"HOME": "", "MEMSIFT_HOME": "/var/memory"}, "/var/memory")):
            with self.subTest(environment=environment):
                self.assertEqual(home.locate(environment), found)

    def test_looking_makes_nothing(self):
        home.locate()
        self.assertFalse(os.path.exists(self.memsift_home))


class Paths(HomeTest):
    def test_session_id_of_any_kind_stays_in_the_folder(self):
        for session in HOSTILE + HARMLESS:
            with self.subTest(session=session[:30]):
                path = self.home.session(session)
                self.assertEqual(os.path.dirname(os.path.realpath(path)),
                                 os.path.join(self.memsift_home, "sessions"))
                with open(path, "x", encoding="utf-8"):  # a valid file name, and nobody else's
                    pass

    def test_repository_name_of_any_kind_stays_in_the_folder(self):
        for name in HOSTILE:
            with self.subTest(name=name[:30]):
                self.assertEqual(os.path.dirname(self.home.repository(name)), self.home.repositories)

    def test_harmless_id_keeps_its_name(self):
        for name in HARMLESS:
            with self.subTest(name=name):
                self.assertEqual(home.safe_name(name), name)

    def test_layout_is_the_one_that_is_documented(self):
        found = {name: os.path.relpath(path, self.memsift_home) for name, path in (
            ("log", self.home.log), ("session", self.home.session("s")), ("digest", self.home.digest("r")),
            ("draft", self.home.draft("r")), ("pending", self.home.pending("r")),
            ("archive", self.home.archive("r")),
            ("datasets", self.home.datasets), ("outbox", self.home.outbox("r")),
            ("index", self.home.cognee_index("r")), ("processing", self.home.processing("r")),
            ("lock", self.home.replay_lock("r")))}
        self.assertEqual(found, {"log": "debug.log", "session": "sessions/s.json",
                                 "digest": "repos/r/digest.md",
                                 "draft": "repos/r/draft.md", "pending": "repos/r/pending.jsonl",
                                 "datasets": "datasets.md", "outbox": "repos/r/outbox",
                                 "index": "repos/r/cognee-index.json", "processing": "repos/r/processing.json",
                                 "archive": "repos/r/archive.db", "lock": "repos/r/replay.lock"})

    def test_folders_are_private(self):
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        self.home.draft("r")
        self.assertTrue(self.home.sessions)
        for path in ("", "repos", "repos/r", "sessions"):
            with self.subTest(path=path):
                self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.memsift_home, path)).st_mode), 0o700)

    def test_home_that_is_a_file_is_an_error_of_the_system(self):
        open(self.memsift_home, "wb").close()
        with self.assertRaises(OSError):
            Home(self.memsift_home).draft("r")


class Digest(unittest.TestCase):
    def test_stands_for_any_text_and_only_for_it(self):
        digests = [home.digest(text) for text in HOSTILE + HARMLESS]
        self.assertEqual(len(set(digests)), len(digests))
        self.assertEqual({len(digest) for digest in digests}, {16})
        self.assertEqual(home.digest("acme-shop", 10), home.digest("acme-shop")[:10])


if __name__ == "__main__":
    unittest.main()
