"""The two host programs that the live tests run, in the versions that the plugin is tested with.

`python3 -m tests.live.programs` installs them with npm into a cache folder outside the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess

PACKAGES = {"claude": "@anthropic-ai/claude-code@2.1.332", "codex": "@openai/codex@0.171.0"}


def folder() -> str:
    """Where the programs are: MEMSIFT_LIVE_CACHE, or a folder in the user's cache."""
    return os.environ.get("MEMSIFT_LIVE_CACHE") or os.path.expanduser("~/.cache/memsift-live")


def find(name: str) -> str:
    """The path of a program, "claude" or "codex"; "" when that version is not installed."""
    prefix = os.path.join(folder(), PACKAGES[name].rpartition("@")[2])
    program = os.path.join(prefix, "node_modules", ".bin", name)
    return program if os.path.exists(program) else ""


def search_path() -> str:
    """The folders of the programs that the hosts need themselves: node, git and a shell."""
    needed = [os.path.dirname(path) for path in (shutil.which("node"), shutil.which("git")) if path]
    return os.pathsep.join(dict.fromkeys(needed + ["/usr/local/bin", "/usr/bin", "/bin"]))


def install() -> None:
    """Install what is missing. Raises CalledProcessError when npm fails."""
    for name, package in PACKAGES.items():
        if find(name):
            continue
        prefix = os.path.join(folder(), package.rpartition("@")[2])
        os.makedirs(prefix, exist_ok=True)
        _run("npm", "install", "--prefix", prefix, "--no-audit", "--no-fund", package)
        script = os.path.join(prefix, "node_modules", package.rpartition("@")[0], "install.cjs")
        if os.path.exists(script):
            # npm can be set to leave a package's own last step undone.
            _run("node", script)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    install()
    for each in PACKAGES:
        _run(find(each), "--version")
