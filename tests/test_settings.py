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
    ("MEMSIFT_COMPACTOR_URL", {"http://127.0.0.1:1/v1/chat/completions": "http://127.0.0.1:1/v1/chat/completions",
                               "": None, "ftp://chat.example": None, "http://a\nb": None}),
    ("MEMSIFT_COMPACTOR_KEY", {"": "", " invented ": "invented", "a\tb": None}),
    ("MEMSIFT_COMPACTOR_MODEL", {"": "", "acme/small": "acme/small", "a\nb": None}),
    ("MEMSIFT_GRACE_SECONDS", {"0": 0, "60": 60, "86400": 86400, "-1": None, "86401": None, "1.5": None, "abc": None,
                               MANY: None}),
    ("MEMSIFT_COGNEE_URL", {"": "", "http://127.0.0.1:8000": "http://127.0.0.1:8000", "http://127.0.0.1:8000/": "http://127.0.0.1:8000",
                            " https://memory.example/cognee/api/v1/ ": "https://memory.example/cognee",
                            "localhost:8011": "http://localhost:8011", "127.0.0.1:8000": "http://127.0.0.1:8000",
                            "192.168.1.5:8000": "http://192.168.1.5:8000", "cognee:8000": "http://cognee:8000",
                            "acme.cognee.example": "https://acme.cognee.example", "ftp://memory.example": None,
                            "http://a\nb": None, "a\x00b": None}),
    ("MEMSIFT_COGNEE_KEY", {"": "", " invented ": "invented", "a\tb": None, "a\x00b": None}),
    ("COGNEE_PLUGIN_DATASET", {"": "", "chat-log": "chat-log", "a\nb": None}),
    ("SSL_CERT_FILE", {"": "", "/etc/acme-shop/authority.pem": "/etc/acme-shop/authority.pem", "a\nb": None}),
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
                    self.assertEqual([problem for problem in found.problems if problem.startswith(name)] != [],
                                     meaning is None)

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
                place, line = found.sources["MEMSIFT_MAX_NOTES"].rsplit(":", 1)
                lines = settings._decode(raw).replace("\r\n", "\n").split("\n")
                self.assertEqual((place, "7" in lines[int(line) - 1]), (self.path, True))

    def test_environment_wins_over_the_file(self):
        self.put(b"MEMSIFT_MAX_NOTES=7\nMEMSIFT_DEBUG=1\n")
        found = self.read(MEMSIFT_MAX_NOTES="5")
        self.assertEqual((found["MEMSIFT_MAX_NOTES"], found["MEMSIFT_DEBUG"]), (5, True))
        self.assertEqual(found.sources, {"MEMSIFT_MAX_NOTES": "environment", "MEMSIFT_DEBUG": self.path + ":2"})

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


class CogneePlugin(HomeTest):
    """What users of that plugin have set already."""

    def read(self, text="", **environment):
        path = os.path.join(self.user_home, ".cognee", ".env")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return Settings(dict({"HOME": self.user_home}, **environment))

    def both(self, found):
        return found["MEMSIFT_COGNEE_URL"], found["MEMSIFT_COGNEE_KEY"]

    def test_its_addresses_count_in_its_own_order_and_after_memsifts(self):
        names = ["MEMSIFT_COGNEE_URL", "COGNEE_LOCAL_API_URL", "COGNEE_BASE_URL", "COGNEE_SERVICE_URL"]
        while names:
            lines = ["%s=http://%s.example" % (name, name.lower().replace("_", "-")) for name in names]
            found = self.read("\n".join(reversed(lines)))
            self.assertEqual(found["MEMSIFT_COGNEE_URL"], lines[0].partition("=")[2])
            self.assertIn("%s:%d" % (os.path.join(".cognee", ".env"), len(names)), found.sources["MEMSIFT_COGNEE_URL"])
            names.pop(0)
        self.assertEqual(self.both(self.read()), ("", ""))

    def test_the_source_names_the_variable_of_the_plugin(self):
        found = self.read("COGNEE_API_KEY=invented\n", COGNEE_BASE_URL="memory.example")
        self.assertEqual(self.both(found), ("https://memory.example", "invented"))
        self.assertEqual(found.sources["MEMSIFT_COGNEE_URL"], "COGNEE_BASE_URL in environment")
        self.assertRegex(found.sources["MEMSIFT_COGNEE_KEY"], r"^COGNEE_API_KEY in .*/\.cognee/\.env:1$")

    def test_an_empty_variable_of_the_plugin_is_not_set_and_an_empty_one_of_memsift_switches_off(self):
        text = "COGNEE_LOCAL_API_URL=\nCOGNEE_BASE_URL='  '\nCOGNEE_SERVICE_URL=http://memory.example\n"
        self.assertEqual(self.read(text)["MEMSIFT_COGNEE_URL"], "http://memory.example")
        self.assertEqual(self.both(self.read(text + "COGNEE_API_KEY=k\n", MEMSIFT_COGNEE_URL="")), ("", ""))

    def test_key_of_the_plugins_server_goes_to_no_other_server(self):
        text = "COGNEE_BASE_URL=https://cloud.example/\nCOGNEE_API_KEY=invented\n"
        for address, key in (("http://127.0.0.1:8000", ""), ("cloud.example", "invented")):
            found = self.read(text, MEMSIFT_COGNEE_URL=address)
            self.assertEqual((found["MEMSIFT_COGNEE_KEY"], found.problems), (key, []))
        found = self.read("COGNEE_API_KEY=invented\n", MEMSIFT_COGNEE_URL="http://127.0.0.1:8000")
        self.assertEqual(self.both(found), ("http://127.0.0.1:8000", "invented"))

    def test_plugin_that_is_kept_to_this_machine_is_followed_and_told(self):
        text = "COGNEE_BASE_URL=https://cloud.example\nCOGNEE_API_KEY=invented\n"
        for line in ("COGNEE_BACKEND=local", "COGNEE_CLAUDE_BACKEND=Native", "COGNEE_CODEX_BACKEND=sdk"):
            found = self.read(text + line)
            self.assertEqual(self.both(found), ("", ""))
            problem, = found.problems
            self.assertEqual(problem, "%s keeps Cognee to this machine, so memsift does not use COGNEE_BASE_URL and "
                             "COGNEE_API_KEY; set MEMSIFT_COGNEE_URL for a server" % line.partition("=")[0])
        found = self.read(text + "COGNEE_BACKEND=local\nCOGNEE_LOCAL_API_URL=localhost:8011")
        self.assertEqual((self.both(found), found.problems), (("http://localhost:8011", ""), []))
        self.assertEqual(self.both(self.read(text + "COGNEE_BACKEND=cloud")), ("https://cloud.example", "invented"))

    def test_key_without_an_address_calls_nothing_and_is_told_without_the_key(self):
        found = self.read("COGNEE_API_KEY=invented\n")
        problem, = found.problems
        self.assertEqual(found["MEMSIFT_COGNEE_URL"], "")
        self.assertIn("no address of a server", problem)
        self.assertNotIn("invented", problem)

    def test_bad_address_of_the_plugin_is_told_by_its_own_name(self):
        found = self.read("COGNEE_BASE_URL=ftp://memory.example\n")
        problem, = found.problems
        self.assertEqual(found["MEMSIFT_COGNEE_URL"], "")
        self.assertRegex(problem, r"^COGNEE_BASE_URL \(.*:1\) must begin with http:// or https://; using nothing$")

    def test_certificates_of_the_file_are_trusted(self):
        self.read("SSL_CERT_FILE=/etc/acme-shop/authority.pem\n")
        self.runtime()
        self.assertEqual(os.environ["SSL_CERT_FILE"], "/etc/acme-shop/authority.pem")

    def test_nothing_else_in_the_file_is_kept(self):
        found = self.read("LLM_API_KEY=hidden-llm\nEMBEDDING_API_KEY=hidden-embed\nCOGNEE_USER_PASSWORD=hidden-word\n")
        self.assertNotIn("hidden", repr(vars(found)))


if __name__ == "__main__":
    unittest.main()
