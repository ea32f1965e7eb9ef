import os
import shutil
import subprocess
import unittest
from unittest import mock

from memsift import card
from memsift import card_proposal
from tests.support import HomeTest


@unittest.skipUnless(shutil.which("git"), "needs git")
class ProposalTest(HomeTest):
    def setUp(self):
        super().setUp()
        shutil.rmtree(os.path.join(self.project, ".git"))
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=Acme", "-c", "user.email=acme@example.invalid", *arguments], cwd=self.project,
                       check=True, stdout=subprocess.DEVNULL)

    def write(self, name, text):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def propose(self):
        return card_proposal.propose(self.project)

    def test_readme_manifests_folders_and_commits(self):
        self.write("README.md",
                   "[![badge](x)](y)\n# Acme Shop\n\n<p>hi</p>\nSells carts.\nIn many sizes.\n\n## Install\n\nnot this\n")
        self.write("package.json", '{"scripts": {"test": "jest", "build": "vite"}, "dependencies": {"react": "18"}}')
        self.write("src/cart.js", "")
        self.commit("Carts expire after a day")
        text = self.propose()
        for part in ("# Acme Shop\n", "Sells carts.\nIn many sizes.", "- JavaScript (`package.json`): jest, react, vite", "`npm run test`", "- `src/`",
                     "- Carts expire after a day"):
            self.assertIn(part, text)
        self.assertNotIn("not this", text)
        self.assertNotIn("badge", text)

    def test_it_stays_under_fifty_lines_and_holds_no_secret(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        self.write("README.md", "# Acme\n\n" + "A line about it, token=%s.\n" % secret * 200)
        for number in range(60):
            self.write("folder%02d/x" % number, "")
            self.commit("Change %d" % number)
        for name in card_proposal.MANIFESTS:
            self.write(name, "x")
        text = self.propose()
        self.assertLess(text.count("\n"), 50)
        self.assertNotIn(secret, text)
        self.assertLess(max(map(len, text.splitlines())), 200)

    def test_bare_folder_and_broken_manifests(self):
        self.assertTrue(self.propose().startswith("# acme-shop\n\n(Say here"))
        self.write("package.json", "{broken")
        os.mkdir(os.path.join(self.project, "README.md"))
        self.assertIn("JavaScript", self.propose())
        shutil.rmtree(os.path.join(self.project, ".git"))
        self.assertIn("# acme-shop", self.propose())

    def test_what_makes_a_card_look_outdated(self):
        self.write("src/cart.py", "")
        self.write("jev.md",
                   "# Acme\n\nPython. Carts are in `src/cart.py`, prices in `src/price.py` and `price.py`, see `README`.\n")
        self.commit("Start")
        text = card.read(self.project)
        self.assertEqual(card.outdated(self.project, text),
                         ["it names src/price.py, which is not there any more", "it names price.py, which is not there any more"])
        self.write("src/price.py", "")
        self.commit("Prices")
        self.assertEqual(card.outdated(self.project, text), [])
        self.write("go.mod", "module acme\n")
        self.assertEqual(card.outdated(self.project, text), ["it does not mention Go, which go.mod says is used"])
        os.unlink(os.path.join(self.project, "go.mod"))
        os.utime(card.path(self.project), (1, 1))
        with mock.patch.object(card, "MANY_COMMITS", 2):
            self.assertEqual(card.outdated(self.project, text), ["2 commits were made since it was last changed"])

    def test_git_around_us_and_a_git_that_is_not_there_do_no_harm(self):
        self.commit("Start")
        with mock.patch.dict(os.environ, GIT_DIR="/nonexistent", GIT_WORK_TREE="/nonexistent"):
            self.assertIn("- Start", self.propose())
        with mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.assertNotIn("- Start", self.propose())


if __name__ == "__main__":
    unittest.main()
