"""`python3 -m memsift card`: shows, proposes, and writes only when told and only where there is none."""

import json
import os
import stat
import unittest

from tests.commands.running import CommandTest


class CardTest(CommandTest):
    def write(self, name, text):
        with open(os.path.join(self.project, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_proposal_is_shown_and_not_written(self):
        self.write("README.md", "# acme-shop\n\nSells carts to shops.\n")
        code, output, errors = self.run_command("card")
        self.assertEqual(code, 0)
        self.assertTrue(output.startswith("# acme-shop\n\nSells carts to shops.\n"), output)
        self.assertIn("--write accepts it", errors)
        self.assertFalse(os.path.exists(os.path.join(self.project, "jev.md")))

    def test_written_when_told_and_never_over_another(self):
        self.write("README.md", "# acme-shop\n\nSells carts to shops.\n")
        os.chmod(self.project, 0o755)
        proposal = self.run_command("card")[1]
        code, output, errors = self.run_command("card", "--write")
        self.assertEqual((code, errors), (0, ""))
        path = os.path.join(self.project, "jev.md")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), proposal)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o644)
        self.write("jev.md", "# Mine\n")
        code, output, errors = self.run_command("card", "--write")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("is there already and is yours", errors)
        self.assertEqual(self.run_command("card")[1], "# Mine\n")

    def test_link_is_never_written_through(self):
        target = os.path.join(self.folder, "elsewhere")
        os.symlink(target, os.path.join(self.project, "jev.md"))
        self.assertEqual(self.run_command("card", "--write")[0], 1)
        self.assertFalse(os.path.exists(target))

    def test_outdated_card_is_flagged(self):
        self.write("jev.md", "# acme-shop\n\nA shop in Python.\n")
        self.write("Cargo.toml", "[package]\nname = \"acme\"\n")
        code, output, errors = self.run_command("card")
        self.assertEqual((code, output), (0, "# acme-shop\n\nA shop in Python.\n"))
        self.assertIn("looks outdated: it does not mention Rust", errors)
        self.assertEqual(len(json.loads(self.run_command("card", "--json")[1])["outdated"]), 1)
        self.assertIn("Rust (`Cargo.toml`)", self.run_command("card", "--propose")[1])


if __name__ == "__main__":
    unittest.main()
