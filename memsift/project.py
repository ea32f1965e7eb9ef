"""Which repository a folder belongs to, found by reading git's files: git itself is never run.

The identity is the remote where there is one (so all clones and worktrees share it), else the real path of the
main working tree, else the folder's own real path.
"""

from __future__ import annotations

import os
import re

from memsift import files
from memsift import home
from memsift import redact

_SECTION = re.compile(r'\s*\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
_URL = re.compile(r"\s*url\s*=\s*(.*)$", re.IGNORECASE)
_COMMENT = re.compile(r"\s[#;].*")
_SCP = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)$")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)$")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


class Project:
    """A repository: `name` for its folder under repos/, `root` the working tree of the session."""

    __slots__ = ("name", "root")

    def __init__(self, name: str, root: str) -> None:
        self.name = name
        self.root = root


def identify(folder: str, user_home: str = "") -> Project | None:
    """The project of a folder; None for no folder, the user's home and the root, which are nobody's project."""
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return None
    folder = os.path.realpath(folder)
    nobodys = (os.path.realpath(user_home) if user_home else os.sep, os.sep)
    if folder in nobodys:
        return None
    root, git_folder = _find_git(folder, nobodys)
    if not root:
        return Project(_folder_name(folder), folder)
    return Project(_folder_name(_remote(git_folder) or _main_tree(git_folder)), root)


def _find_git(folder: str, stop: tuple[str, ...]) -> tuple[str, str]:
    """The working tree that holds the folder and the git folder that all its worktrees share, or two blanks.

    A repository in the user's home (for dot files) does not swallow every folder below it.
    """
    while folder not in stop:
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker) and os.path.exists(os.path.join(marker, "HEAD")):
            return folder, os.path.realpath(marker)
        if os.path.isfile(marker):
            shared = _follow(marker)
            if shared:
                return folder, shared
        folder = os.path.dirname(folder)
    return "", ""


def _follow(marker: str) -> str:
    """The shared git folder behind a `.git` file of a worktree or submodule."""
    pointer = _first_line(marker)
    if not pointer.startswith("gitdir:"):
        return ""
    git_folder = os.path.join(os.path.dirname(marker), pointer[len("gitdir:"):].strip())
    common = _first_line(os.path.join(git_folder, "commondir"))
    shared = os.path.realpath(os.path.join(git_folder, common) if common else git_folder)
    return shared if os.path.exists(os.path.join(shared, "HEAD")) else ""


def _first_line(path: str) -> str:
    lines = _read(path).splitlines()
    return lines[0].strip() if lines else ""


def _read(path: str) -> str:
    """A file of git's, "" where none can be read, and without NUL, which no path may hold."""
    try:
        return files.read_text(path).replace("\0", "")
    except OSError:
        return ""


def _main_tree(git_folder: str) -> str:
    return os.path.dirname(git_folder) if os.path.basename(git_folder) == ".git" else git_folder


def _remote(git_folder: str) -> str:
    """The normalised address of `origin`, or of the first remote where there is no origin."""
    remotes = _remotes(_read(os.path.join(git_folder, "config")))
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    return normalise(url, git_folder) if url else ""


def _remotes(config: str) -> dict[str, str]:
    remotes: dict[str, str] = {}
    name = ""
    for line in config.splitlines():
        section = _SECTION.match(line)
        if section or line.lstrip().startswith("["):
            name = section.group(1) if section else ""
            line = line[section.end():] if section else ""
        url = _URL.match(line) if name else None
        if url:
            remotes.setdefault(name, _COMMENT.sub("", url.group(1)).strip().strip('"'))
    return remotes


def normalise(url: str, git_folder: str = "") -> str:
    """One spelling for all addresses of a repository: `host/path`, without scheme, user, password, port, `.git`."""
    scheme = _SCHEME.match(url)
    if scheme and scheme.group(1).lower() != "file":
        host, _, path = scheme.group(2).partition("/")
        host = host.rpartition("@")[2].partition(":")[0]
    elif not scheme and _SCP.match(url) and not url.startswith((".", "/")):
        host, path = _SCP.match(url).groups()
    else:
        host, path = "", _local_path(scheme.group(2) if scheme else url, git_folder)
    path = re.sub(r"/+", "/", path).strip("/")
    if path.endswith(".git") and path != ".git":
        path = path[:-len(".git")].rstrip("/")
    return "%s/%s" % (host.lower(), path)


def _local_path(path: str, git_folder: str) -> str:
    return os.path.realpath(os.path.join(os.path.dirname(git_folder), os.path.expanduser(path)))


def _folder_name(identity: str) -> str:
    """A readable name and ten hexadecimal digits of the identity; a secret in a folder's name is not readable."""
    base = redact.redact(os.path.basename(identity.rstrip("/")))
    readable = _NOT_IN_NAMES.sub("-", base.lower()).strip("-")[:40] or "project"
    return "%s-%s" % (readable, home.digest(identity, 10))
