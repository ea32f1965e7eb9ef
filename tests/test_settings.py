import os
import re
import unittest

from memsift import settings
from memsift.settings import Settings
from tests.support import ROOT
from tests.support import HomeTest

SPEC = os.path.join(ROOT, "docs", "SPEC.md")
MANY = "9" * 400
# name, what is set, what it means then; None: refused, named, and the default in force.
MEANINGS = [
    ("MEMSIFT_DEBUG", {"1": True, "true": True, "YES": True, " on ": True, "0": False, "no": False,
                       "Off": False,
                       "false": False, "": False, "-1": None, "2": None, "abc": None, "1e9": None,
                       "nan": None, MANY: None}),
    ("MEMSIFT_JEV_URL", {"http://127.0.0.1:8080/v1/systemone": "http://127.0.0.1:8080/v1/systemone",
                         " https://judge.example/x ": "https://judge.example/x", "": None, "0": None, "-1": None,
                         "abc": None, "ftp://judge.example": None, "http://a\nb": None}),
    ("MEMSIFT_JEV_KEY", {"": "", " invented ": "invented", "a\tb": None, "a\x00b": None}),
    ("MEMSIFT_JEV_MODEL", {"": "", "typesafe/jev-1.14": "typesafe/jev-1.14", "a\nb": None}),
    ("MEMSIFT_JEV_DENY_COLLECTION", {"1": True, "0": False, "2": None, "abc": None}),
    ("MEMSIFT_FALLBACK", {"1": True, "0": False, "": False, "-1": None, "abc": None}),
    ("MEMSIFT_RECORD", {"1": True, "0": False, "1e9": None}),
    ("MEMSIFT_SORTER", {"local": "local", " LOCAL ": "local", "off": "off", "Auto": "auto", "": None, "0": None, "-1": None,
                        "abc": None,
                        "1e9": None, "nan": None, MANY: None}),
    ("MEMSIFT_MAX_NOTES", {"1": 1, " 20 ": 20, "0": None, "21": None, "-1": None, "": None, "abc": None,
                           "1e9": None,
                           "nan": None, "3.5": None, MANY: None, "\u00b2": None, "5 # five": None}),
    ("MEMSIFT_MAX_CHARACTERS", {"200": 200, "9000": 9000, "199": None, "9001": None, "0": None, "-1": None,
                                "": None,
                                "abc": None, "1e9": None, "nan": None, MANY: None}),
    ("MEMSIFT_ADD_THRESHOLD", {"0": 0.0, "1": 1.0, ".5": 0.5, "1e-1": 0.1, "-1": None, "1.01": None, "": None,
                               "abc": None,
                               "1e9": None, "nan": None, "inf": None, "-inf": None, MANY: None}),
    ("MEMSIFT_KEEP_THRESHOLD", {"0": 0.0, "1": 1.0, "0.25": 0.25, "-1": None, "": None, "abc": None,
                                "1e9": None,
                                "nan": None, MANY: None}),
]
FILES = [  # how a file may be written, all meaning seven notes
    b"MEMSIFT_MAX_NOTES=7\n", b"MEMSIFT_MAX_NOTES=7", b"\xef\xbb\xbfMEMSIFT_MAX_NOTES=7\n",
         b"MEMSIFT_MAX_NOTES=7\r\n",
    "MEMSIFT_MAX_NOTES=7\r\n".encode("utf-16"), b"\xfe\xff" + "MEMSIFT_MAX_NOTES=7\n".encode("utf-16-be"),
    b"export MEMSIFT_MAX_NOTES=7\n", b"  export   MEMSIFT_MAX_NOTES = 7  \n", b"MEMSIFT_MAX_NOTES='7'\n",
    b'MEMSIFT_MAX_NOTES="7"\n', b"# MEMSIFT_MAX_NOTES=9\n\nMEMSIFT_MAX_NOTES=7\n",
    b"MEMSIFT_MAX_NOTES=9\nOTHER=1\nMEMSIFT_MAX_NOTES=7\n",
         b"no equals sign\n=8\n\xff\xfe\x00\nMEMSIFT_MAX_NOTES=7\n",
    b"LLM_API_KEY=a=b=c\nMEMSIFT_MAX_NOTES=7\n",
]


class Values(unittest.TestCase):
    def test_every_setting_takes_what_it_means_and_refuses_the_rest(self):
        for name, table in MEANINGS:
            default = Settings({}, "/nonexistent")[name]
            for text, meaning in table.items():
                with self.subTest(name=name, text=text[:20]):
                    found = Settings({name: text}, "/nonexistent")
                    self.assertEqual(found[name], default if meaning is None else meaning)
                    self.assertIs(type(found[name]), type(default))
                    self.assertEqual([name in problem for problem in found.problems],
                                     [True] if meaning is None else [])

    def test_automatic_sorter_is_jev_where_the_user_has_one(self):
        table = [({}, "local"), ({"MEMSIFT_JEV_KEY": "k"}, "jev"), ({"MEMSIFT_JEV_URL": "http://127.0.0.1:1/x"}, "jev"),
                 ({"MEMSIFT_JEV_KEY": "k", "MEMSIFT_SORTER": "local"}, "local"), ({"MEMSIFT_SORTER": "jev"}, "local"),
                 ({"MEMSIFT_JEV_KEY": ""}, "local"), ({"OPENROUTER_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "local")]
        for environment, sorter in table:
            self.assertEqual(Settings(environment, "/nonexistent").sorter, sorter, environment)

    def test_jev_without_a_key_or_an_address_is_a_problem(self):
        problem, = Settings({"MEMSIFT_SORTER": "jev"}, "/nonexistent").problems
        self.assertIn("neither MEMSIFT_JEV_KEY nor MEMSIFT_JEV_URL is set", problem)

    def test_no_setting_is_forgotten_above(self):
        self.assertEqual({setting.name for setting in settings.TABLE}, {name for name, _ in MEANINGS})

    def test_problem_names_the_place_the_bounds_and_what_is_used(self):
        problem, = Settings({"MEMSIFT_MAX_NOTES": "99"}, "/nonexistent").problems
        self.assertEqual(problem, "MEMSIFT_MAX_NOTES (environment) must be between 1 and 20; using 3")

    def test_problem_does_not_show_the_value_which_may_be_a_secret_in_the_wrong_place(self):
        for name, _ in MEANINGS:
            for problem in Settings({name: "sk-or-v1-hidden\n"}, "/nonexistent").problems:
                self.assertNotIn("hidden", problem)

    def test_every_setting_is_documented_with_its_default(self):
        if not os.path.exists(SPEC):
            self.skipTest("docs/SPEC.md is not written yet")
        with open(SPEC, encoding="utf-8") as file:
            spec = file.read()
        for setting in settings.TABLE:
            with self.subTest(name=setting.name):
                row = re.search(r"^\|\s*`?%s`?\s*\|.*$" % setting.name, spec, re.MULTILINE)
                self.assertIsNotNone(row)
                default = int(setting.default) if isinstance(setting.default, bool) else setting.default
                numbers = [default] + [bound for bound in (setting.low, setting.high) if bound is not None]
                for value in numbers + list(setting.words):
                    shown = "|".join({re.escape(str(value)),
                                      re.escape("%g" % value)}) if value != str(value) else value
                    self.assertRegex(row.group().replace(",", ""), r"(?<![\w.])(?:%s)(?![\w.])" % shown)


class Sources(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.user_home, ".cognee", ".env")
        os.mkdir(os.path.dirname(self.path))

    def put(self, raw):
        with open(self.path, "wb") as file:
            file.write(raw)

    def read(self, **environment):
        return Settings(dict({"HOME": self.user_home}, **environment))

    def test_file_of_the_cognee_plugin_in_any_dress(self):
        for raw in FILES:
            with self.subTest(raw=raw):
                self.put(raw)
                found = self.read()
                self.assertEqual((found["MEMSIFT_MAX_NOTES"], found.problems), (7, []))
                self.assertEqual(found.sources, {"MEMSIFT_MAX_NOTES": self.path})

    def test_environment_wins_over_the_file(self):
        self.put(b"MEMSIFT_MAX_NOTES=7\nMEMSIFT_DEBUG=1\n")
        found = self.read(MEMSIFT_MAX_NOTES="5")
        self.assertEqual((found["MEMSIFT_MAX_NOTES"], found["MEMSIFT_DEBUG"]), (5, True))
        self.assertEqual(found.sources, {"MEMSIFT_MAX_NOTES": "environment", "MEMSIFT_DEBUG": self.path})

    def test_bad_value_in_the_environment_uses_the_default_as_its_problem_says(self):
        self.put(b"MEMSIFT_MAX_NOTES=7\n")
        found = self.read(MEMSIFT_MAX_NOTES="many")
        self.assertEqual((found["MEMSIFT_MAX_NOTES"], len(found.problems)), (3, 1))
        self.assertIn("using 3", found.problems[0])

    def test_bad_value_in_the_file_is_told_with_the_file_it_stands_in(self):
        self.put(b"MEMSIFT_MAX_NOTES=many\nMEMSIFT_SORTER=off\n")
        found = self.read()
        self.assertEqual((found["MEMSIFT_MAX_NOTES"], found["MEMSIFT_SORTER"]), (3, "off"))
        self.assertIn(self.path, found.problems[0])

    def test_other_file_by_its_variable(self):
        other = os.path.join(self.folder, "other.env")
        with open(other, "w", encoding="utf-8") as file:
            file.write("MEMSIFT_MAX_NOTES=9\n")
        self.put(b"MEMSIFT_MAX_NOTES=7\n")
        self.assertEqual(self.read(COGNEE_ENV_FILE=other)["MEMSIFT_MAX_NOTES"], 9)

    def test_absent_file_is_no_problem(self):
        for environment in ({}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"HOME": self.user_home}):
            with self.subTest(environment=environment):
                self.assertEqual(Settings(environment).problems, [])

    def test_relative_home_takes_no_settings_from_the_folder_that_the_agent_works_in(self):
        self.put(b"MEMSIFT_MAX_NOTES=7\n")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.user_home)
        self.assertEqual(Settings({"HOME": "."})["MEMSIFT_MAX_NOTES"], 3)

    def test_file_behind_a_link_is_read(self):
        """Many keep such files in a repository of dot files."""
        real = os.path.join(self.user_home, "dotfiles-env")
        with open(real, "wb") as file:
            file.write(b"MEMSIFT_MAX_NOTES=7\n")
        os.symlink(real, self.path)
        self.assertEqual(self.read()["MEMSIFT_MAX_NOTES"], 7)

    def test_unreadable_file_is_a_problem_and_not_an_exception(self):
        def make_large():
            self.put(b"MEMSIFT_MAX_NOTES=7\n" + b"#" * 2_000_000)
        for name, make in (("folder", lambda: os.mkdir(self.path)), ("pipe", lambda: os.mkfifo(self.path)),
                           ("large", make_large)):
            make()
            with self.subTest(name=name):
                found = self.read()
                self.assertEqual(found["MEMSIFT_MAX_NOTES"], 3)
                self.assertEqual([self.path in problem for problem in found.problems], [True])
            (os.rmdir if name == "folder" else os.unlink)(self.path)


if __name__ == "__main__":
    unittest.main()
