import sys
import unittest

from memsift.doctor import toml_lines

CONFIG = r'''
model = "gpt-5.5"   # the model
[plugins."memsift@memsift"]
enabled = true
[hooks.state."memsift@memsift:hooks/codex.json:stop:0:0"]
trusted_hash = "sha256:ab"
[projects."/home/dev/a \"b\""]
trust_level = 'trusted'
[features]
hooks = false
[tui.model_availability_nux]
"gpt-6.1-sol" = 1
'''


class Lines(unittest.TestCase):
    def test_what_codex_writes(self):
        found = toml_lines._parse(CONFIG)
        self.assertEqual(found["model"], "gpt-5.5")
        self.assertEqual(found["plugins"], {"memsift@memsift": {"enabled": True}})
        self.assertEqual(found["hooks"]["state"],
                         {"memsift@memsift:hooks/codex.json:stop:0:0": {"trusted_hash": "sha256:ab"}})
        self.assertEqual(found["projects"], {'/home/dev/a "b"': {"trust_level": "trusted"}})
        self.assertEqual((found["features"], found["tui"]),
                         ({"hooks": False}, {"model_availability_nux": {"gpt-6.1-sol": 1}}))

    @unittest.skipUnless(sys.version_info >= (3, 11), "no tomllib to compare with")
    def test_the_same_as_the_real_parser(self):
        self.assertEqual(toml_lines._parse(CONFIG), toml_lines.parse(CONFIG))

    def test_what_it_does_not_know_is_skipped(self):
        self.assertEqual(toml_lines._parse('a = """\nx\n"""\n[[list]]\nb = 1\n[x\nc = [1,\n2]\nd = 2026-11-30\n[t]\ne = 1\n')["t"],
                         {"e": 1})


if __name__ == "__main__":
    unittest.main()
