import ast
import os
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = ("memsift", "tests")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def sources():
    """(name of the module, path) of every file of the project, the live tests and the training included."""
    for package in PACKAGES:
        for folder, _, names in os.walk(os.path.join(ROOT, package)):
            for name in names:
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    module = os.path.relpath(path, ROOT)[:-3].replace(os.sep, ".")
                    yield module[:-len(".__init__")] if name == "__init__.py" else module, path


def inside(node):
    """All that is below a node, but for what is inside of a function or a class below it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _FUNCTIONS + (ast.ClassDef,)):
            yield from inside(child)


def bound(node):
    """The names that are given a value in a module or a function."""
    names = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)} if isinstance(node, _FUNCTIONS) else set()
    for each in inside(node):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(each.name)
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in each.names)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.add(each.id)
        elif isinstance(each, ast.ExceptHandler) and each.name:
            names.add(each.name)
    return names


class Project:
    """Which names each module of the project has."""

    def __init__(self):
        self.trees = {}
        for module, path in sources():
            with open(path, encoding="utf-8") as file:
                self.trees[module] = ast.parse(file.read(), path)
        self.names = {module: bound(tree) | {"__name__", "__file__", "__doc__"} for module, tree in self.trees.items()}

    def has(self, module, name):
        return name in self.names[module] or "%s.%s" % (module, name) in self.trees

    def missing(self, scope, modules):
        """What a module, or a class or function in it, takes from another module that has no such name. `modules`:
        which names stand for a module of the project around it."""
        taken = bound(scope) if not isinstance(scope, ast.ClassDef) else set()
        modules = {name: module for name, module in modules.items() if name not in taken}
        for node in inside(scope):
            if isinstance(node, ast.ImportFrom) and node.module in self.trees:
                for alias in node.names:
                    if not self.has(node.module, alias.name):
                        yield "%d: %s.%s" % (node.lineno, node.module, alias.name)
                    submodule = "%s.%s" % (node.module, alias.name)
                    if submodule in self.trees:
                        modules[alias.asname or alias.name] = submodule
        for node in inside(scope):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                module = modules[node.value.id]
                if not self.has(module, node.attr):
                    yield "%d: %s.%s" % (node.lineno, module, node.attr)
            elif isinstance(node, _FUNCTIONS + (ast.ClassDef,)):
                yield from self.missing(node, modules)


class NamesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.project = Project()

    def test_nothing_asks_a_module_for_a_name_that_it_no_longer_has(self):
        # The live tests and the training are not run with the others, so a name that was changed is found late there.
        for module, tree in self.project.trees.items():
            with self.subTest(module):
                self.assertEqual(list(self.project.missing(tree, {})), [])

    def test_a_name_that_is_gone_is_found(self):
        for line, found in (("from memsift import files\nfiles.read_text('a')", []),
                            ("from memsift import files\nfiles.no_such_name", ["2: memsift.files.no_such_name"]),
                            ("from memsift.files import no_such_name", ["1: memsift.files.no_such_name"]),
                            ("from memsift import files as kept\ndef f(x):\n    return kept.gone", ["3: memsift.files.gone"]),
                            ("from memsift import files\ndef f(files):\n    return files.append", []),
                            ("def f():\n    from memsift.longterm import upload\n    upload.unprocessed",
                             ["3: memsift.longterm.upload.unprocessed"])):
            with self.subTest(line):
                self.assertEqual(list(self.project.missing(ast.parse(line), {})), found)


if __name__ == "__main__":
    unittest.main()
