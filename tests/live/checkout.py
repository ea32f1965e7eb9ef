"""The repository as a host's marketplace gets it: a git clone of its present state."""

from __future__ import annotations

import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "nualt/memsift"
_GIT = ["git", "-c", "safe.directory=*", "-c", "user.name=Acme", "-c", "user.email=acme@example.invalid",
        "-c", "init.defaultBranch=main"]


def git(folder: str, *arguments: str) -> str:
    """Run git in a folder, apart from the user's own settings; gives what it prints."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(_GIT + list(arguments), cwd=folder, env=environment, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def snapshot(target: str) -> None:
    """Make `target` a repository whose one commit is this working tree, without ignored files."""
    for name in _files():
        if os.path.lexists(os.path.join(ROOT, name)):
            copy = os.path.join(target, name)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), copy, follow_symlinks=False)
    git(target, "init", "-q")
    git(target, "add", "-A")
    git(target, "commit", "-q", "-m", "Present state")


def publish(target: str, home: str) -> None:
    """Let git, for the user of `home`, fetch the repository NAME of GitHub from `target`."""
    with open(os.path.join(home, ".gitconfig"), "w", encoding="utf-8") as file:
        file.write('[url "file://%s"]\n' % target)
        for address in ("https://github.com/%s.git", "git@github.com:%s.git", "https://github.com/%s"):
            file.write("\tinsteadOf = %s\n" % (address % NAME))


def _files() -> list[str]:
    if os.path.exists(os.path.join(ROOT, ".git")):
        names = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted(set(filter(None, names.split("\0"))))
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [each for each in folders if each != "__pycache__"]
        found.extend(os.path.relpath(os.path.join(folder, name), ROOT) for name in names)
    return sorted(found)
