import os
import re
import shutil
import subprocess
import unittest
from unittest import mock

from memsift import project
from tests.support import HomeTest
from tests.support import make_repository

GIT = shutil.which("git")
SPELLINGS = [
    "https://github.com/acme/api", "https://github.com/acme/api.git", "https://github.com/acme/api/",
    "https://github.com/acme/api.git/", "http://github.com/acme/api", "git://github.com/acme/api.git",
    "ssh://git@github.com/acme/api.git", "ssh://git@github.com:22/acme/api",
    "git+ssh://git@github.com/acme/api.git",
    "git@github.com:acme/api.git", "git@github.com:acme/api", "github.com:acme/api.git",
    "git@github.com:/acme/api.git",
    "https://GitHub.com/acme/api", "git@GITHUB.COM:acme/api", "https://github.com:443/acme//api.git",
    "https://dev:hunter2hunter2@github.com/acme/api.git",
    "https://%s@github.com/acme/api" % ("ghp_" + "a1B2c3D4e5" * 4),
    "dev:hunter2hunter2@github.com:acme/api.git",
]
OTHERS = [
    "https://github.com/acme/api2", "https://github.com/other/api", "https://gitlab.com/acme/api",
    "git@github.com:api.git",
    "https://github.com/acme/sub/api", "/srv/acme/api", "file:///srv/acme/api", "../api",
]


def git(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_CONFIG_NOSYSTEM": "1",
                   "LC_ALL": "C"}
    for role in ("AUTHOR", "COMMITTER"):
        environment.update({"GIT_%s_NAME" % role: "Dev", "GIT_%s_EMAIL" % role: "dev@example.org"})
    subprocess.run([GIT, "-C", folder, "-c", "protocol.file.allow=always", *arguments], env=environment,
                   check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class ProjectTest(HomeTest):
    def name(self, folder):
        return project.identify(folder, self.user_home).name

    def folder_of(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(path, exist_ok=True)
        return path

    def config(self, text):
        with open(os.path.join(self.project, ".git", "config"), "wb") as file:
            file.write(text.encode())


class Nobodys(ProjectTest):
    def test_home_root_and_no_folder_are_no_project(self):
        link = os.path.join(self.folder, "link-to-home")
        os.symlink(self.user_home, link)
        file = os.path.join(self.folder, "file")
        open(file, "wb").close()
        make_repository(os.path.join(self.user_home))
        for folder in (self.user_home, self.user_home + "/", link, "/", "//", "", ".", "relative",
                       "/nonexistent", file,
                       "/tmp/a\0b", "/tmp/\ud83d"):
            with self.subTest(folder=folder):
                self.assertIsNone(project.identify(folder, self.user_home))

    def test_repository_for_dot_files_does_not_swallow_what_lies_below_it(self):
        make_repository(self.user_home, "git@github.com:dev/dotfiles.git")
        first, second = os.path.join(self.user_home, "one"), os.path.join(self.user_home, "two")
        os.mkdir(first)
        os.mkdir(second)
        self.assertNotEqual(self.name(first), self.name(second))
        self.assertEqual(project.identify(first, self.user_home).root, first)

    def test_missing_home_variable_still_gives_a_project(self):
        self.assertEqual(project.identify(self.project, "").name, self.name(self.project))


class Places(ProjectTest):
    def test_subdirectory_and_symlinked_path_are_the_same_project(self):
        link = os.path.join(self.folder, "link")
        os.symlink(self.folder_of("acme-shop", "src", "deep"), link)
        for folder in (self.folder_of("acme-shop", "src"), link, self.project + "/",
                       self.project + "/src/.."):
            with self.subTest(folder=folder):
                found = project.identify(folder, self.user_home)
                self.assertEqual((found.name, found.root), (self.name(self.project), self.project))

    def test_two_projects_with_one_base_name_or_prefix_never_meet(self):
        folders = [make_repository(self.folder_of(*parts)) for parts in (("a", "api"), ("b", "api"))]
        folders += [self.folder_of("w", "app"), self.folder_of("w", "app-2"), self.folder_of("w"),
                    self.folder_of("w2", "app")]
        names = {self.name(folder) for folder in folders}
        self.assertEqual(len(names), len(folders))
        self.assertEqual(self.name(os.path.join(self.folder, "w", "app") + "/"),
                         self.name(os.path.join(self.folder, "w", "app")))

    def test_name_is_readable_and_safe_in_any_language(self):
        for folder, readable in (("\u2699\ufe0f Werk zeug", "werk-zeug"), ("\u65e5\u672c", "project"),
                                 ("My Shop (x86)", "my-shop-x86"),
                                 ("-rf", "rf"), ("a" * 200, "a" * 40), ("new\nline", "new-line"),
                                 ("...", "project")):
            with self.subTest(folder=folder):
                self.assertRegex(self.name(self.folder_of(folder)),
                                 r"\A%s-[0-9a-f]{10}\Z" % re.escape(readable))

    def test_secret_in_a_folder_name_is_not_readable(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        self.assertNotIn("a1b2c3", self.name(self.folder_of(secret)))

    def test_git_file_that_points_nowhere_is_passed_over(self):
        inner = self.folder_of("acme-shop", "vendor")
        for pointer in (b"gitdir: /nonexistent\n", b"garbage", b"", b"\xff\xfe\x00", b"gitdir: \0\n"):
            with open(os.path.join(inner, ".git"), "wb") as file:
                file.write(pointer)
            with self.subTest(pointer=pointer):
                self.assertEqual(self.name(inner), self.name(self.project))

    def test_unreadable_config_gives_the_path(self):
        before = self.name(self.project)
        path = os.path.join(self.project, ".git", "config")
        os.unlink(path)
        os.mkdir(path)
        self.assertEqual(self.name(self.project), before)


class Remotes(ProjectTest):
    def test_every_spelling_of_a_remote_is_one_project_and_no_other_is(self):
        names = [self.name(make_repository(self.folder_of("clone", str(i)), url)) for i,
                 url in enumerate(SPELLINGS + OTHERS)]
        self.assertEqual(dict(zip(SPELLINGS, names)), dict.fromkeys(SPELLINGS, names[0]))
        self.assertNotIn(names[0], names[len(SPELLINGS):])
        self.assertEqual(names[0][:4], "api-")

    def test_credentials_stay_out_of_the_identity(self):
        for url in SPELLINGS:
            with self.subTest(url=url):
                self.assertEqual(project.normalise(url), "github.com/acme/api")

    def test_config_as_people_and_tools_write_it(self):
        url = "https://github.com/acme/api.git"
        self.config('[remote "origin"]\n\turl = %s\n' % url)
        expected = self.name(self.project)
        for text in ('[remote "origin"]\r\n\turl = %s\r\n', '\ufeff[remote "origin"]\nurl=%s',
                     '[remote "origin"] url = %s\n',
                     '[remote "origin"]\n\turl = "%s"\n', '[remote "origin"]\n\turl = %s # main\n',
                     '[Remote "origin"]\n\tURL = %s ; x\n',
                     '# [remote "x"]\n[remote "upstream"]\n\tpushurl = /x\n\turl = %s\n',
                     '[include]\n\tpath = x\n[remote "origin"]\n\turl = %s\n',
                     '[remote "fork"]\n\turl = /elsewhere\n[remote "origin"]\n\turl = %s\n',
                     '[includeIf "gitdir:~/w/"]\n\tpath = x\n[branch "b"]\n\turl = /x\n[ remote "origin" ]\n\turl = %s\n',
                     '[remote "origin"]\n\turl = %s\n\turl = /second\n[remote "upstream"]\n\turl = /x\n'):
            with self.subTest(text=text):
                self.config(text % url)
                self.assertEqual(self.name(self.project), expected)

    def test_remote_without_an_address_counts_as_none(self):
        before = self.name(self.project)
        for text in ("", '[remote "origin"]\n', '[remote "origin"]\n\turl =\n', "\0\0\0",
                     "url = https://github.com/acme/api\n", "[[[[",
                     '[remote "origin"]\n\turl = \0\n'):
            with self.subTest(text=text):
                self.config(text)
                self.assertEqual(self.name(self.project), before)


@unittest.skipUnless(GIT, "needs the git program to make real repositories")
class RealGit(ProjectTest):
    def setUp(self):
        super().setUp()
        self.main = self.folder_of("w", "shop")
        git(self.main, "init", "-q", "-b", "main")
        git(self.main, "commit", "-q", "--allow-empty", "-m", "first")

    def test_worktree_and_its_subdirectory_are_the_main_checkout_also_after_it_was_removed(self):
        tree = os.path.join(self.folder, "elsewhere", "fix-1")
        git(self.main, "worktree", "add", "-q", tree)
        sub = self.folder_of("elsewhere", "fix-1", "sub", "dir")
        self.assertEqual({self.name(tree), self.name(sub)}, {self.name(self.main)})
        self.assertEqual(project.identify(sub, self.user_home).root, tree)
        before = self.name(tree)
        git(self.main, "worktree", "remove", "--force", tree)
        self.assertEqual(self.name(self.main), before)
        self.assertIsNone(project.identify(sub, self.user_home))

    def test_worktree_of_a_bare_repository(self):
        bare = os.path.join(self.folder, "shop.git")
        git(self.folder, "clone", "-q", "--bare", self.main, bare)
        for name in ("one", "two"):
            git(bare, "worktree", "add", "-q", "-b", name, os.path.join(self.folder, "trees", name))
        self.assertEqual(self.name(os.path.join(self.folder, "trees", "one")),
                         self.name(os.path.join(self.folder, "trees", "two")))

    def test_clones_share_the_identity_of_their_remote(self):
        git(self.main, "remote", "add", "origin", "git@github.com:acme/shop.git")
        other = self.folder_of("other")
        git(other, "init", "-q")
        git(other, "remote", "add", "upstream", "https://dev:t0k3n@github.com/acme/shop")
        self.assertEqual(self.name(other), self.name(self.main))

    def test_clone_of_a_local_folder_is_the_project_it_came_from(self):
        for source in (self.main, "file://" + self.main):
            clone = os.path.join(self.folder, "clone-%d" % len(source))
            git(self.folder, "clone", "-q", source, clone)
            with self.subTest(source=source):
                self.assertEqual(self.name(clone), self.name(self.main))

    def test_submodule_is_a_project_of_its_own(self):
        library = self.folder_of("library")
        git(library, "init", "-q", "-b", "main")
        git(library, "commit", "-q", "--allow-empty", "-m", "first")
        git(self.main, "submodule", "--quiet", "add", library, "lib")
        self.assertEqual(self.name(os.path.join(self.main, "lib")), self.name(library))
        self.assertNotEqual(self.name(os.path.join(self.main, "lib")), self.name(self.main))

    def test_git_folder_elsewhere_and_no_git_program_is_run(self):
        tree = self.folder_of("tree")
        git(tree, "init", "-q", "--separate-git-dir", os.path.join(self.folder, "tree.git"))
        expected = self.name(tree)
        environment = {"HOME": self.user_home, "PATH": "/nonexistent",
                       "GIT_DIR": os.path.join(self.main, ".git")}
        with mock.patch.dict(os.environ, environment, clear=True), mock.patch("os.posix_spawn",
                                                                              side_effect=AssertionError), \
                mock.patch("subprocess.Popen", side_effect=AssertionError):
            self.assertEqual(self.name(tree), expected)
            self.assertNotEqual(self.name(tree), self.name(self.main))


if __name__ == "__main__":
    unittest.main()
