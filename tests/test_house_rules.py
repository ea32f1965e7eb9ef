"""What the code itself promises: checked by reading it."""

import ast
import os
import re
import sys
import unittest

from tests.support import ROOT

BOUNDARIES = {os.path.join("memsift", "hook.py"), os.path.join("memsift", "worker.py")}
# Replay writes a temporary project and the hosts' own records, which are no files of memsift's.
WRITERS = {os.path.join("memsift", "files.py"), os.path.join("memsift", "replay", "stage.py"),
           os.path.join("memsift", "replay", "claude_code.py"), os.path.join("memsift", "replay", "codex.py")}
LONGEST_FILE, LONGEST_FUNCTION = 400, 60


def sources():
    for folder in ("memsift", "hooks"):
        for base, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith(".py"):
                    path = os.path.join(base, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, ROOT), file.read()


class HouseRules(unittest.TestCase):
    def trees(self):
        for path, text in sources():
            yield path, ast.parse(text, path, feature_version=(3, 9))

    def test_errors_are_caught_by_name_but_at_the_boundary_of_a_hook_and_of_a_worker(self):
        for path, tree in self.trees():
            broad = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)
                     and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))]
            self.assertEqual(len(broad), 1 if path in BOUNDARIES else 0, (path, broad))

    @unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "this Python does not know what is standard")
    def test_standard_library_only(self):
        for path, tree in self.trees():
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                for name in names:
                    self.assertIn(name.split(".")[0], sys.stdlib_module_names | {"memsift"}, path)

    def test_text_files_are_opened_with_their_encoding_and_written_in_one_place(self):
        for path, tree in self.trees():
            for node in ast.walk(tree):
                if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "open":
                    continue
                mode = next((arg.value for arg in node.args[1:2] if isinstance(arg, ast.Constant)), "r")
                self.assertTrue("b" in mode or any(keyword.arg == "encoding" for keyword in node.keywords), path)
                self.assertTrue(set(mode) <= set("rb") or path in WRITERS, (path, node.lineno))

    def test_short_files_and_short_functions(self):
        for path, text in sources():
            self.assertLessEqual(text.count("\n"), LONGEST_FILE, path)
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef):
                    self.assertLessEqual(node.end_lineno - node.lineno, LONGEST_FUNCTION, (path, node.name))

    def test_nothing_of_a_developers_machine_is_in_the_project(self):
        # Put together so that this file does not find itself.
        private = re.compile("/(?:%s|%s)/[a-z]|/root/|/%s/shared|\\.%s/" % ("wo" + "rk", "fa" + "rm", "wo" + "rk", "libr" + "ary"))
        for folder in ("memsift", "hooks", "docs", ".claude-plugin", ".codex-plugin", ".agents", ".github"):
            for base, _, names in os.walk(os.path.join(ROOT, folder)):
                for name in names:
                    if name.endswith((".pyc", ".weights")):
                        continue
                    with open(os.path.join(base, name), encoding="utf-8") as file:
                        self.assertIsNone(private.search(file.read()), os.path.join(base, name))


if __name__ == "__main__":
    unittest.main()
