"""The programs that the live tests run, in the versions that the plugin is tested with: the two hosts, and Cognee.

`python3 -m tests.live.programs` installs them, with npm and pip, into a cache folder outside the repository. Cognee
takes about 1.6 GB and two minutes.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys

PACKAGES = {"claude": "@anthropic-ai/claude-code@2.1.332", "codex": "@openai/codex@0.171.0"}
COGNEE = "cognee==1.6.5"


def folder() -> str:
    """Where the programs are: MEMSIFT_LIVE_CACHE, or a folder in the user's cache."""
    return os.environ.get("MEMSIFT_LIVE_CACHE") or os.path.expanduser("~/.cache/memsift-live")


def find(name: str) -> str:
    """The path of a program, "claude" or "codex"; "" when that version is not installed."""
    prefix = os.path.join(folder(), PACKAGES[name].rpartition("@")[2])
    program = os.path.join(prefix, "node_modules", ".bin", name)
    return program if os.path.exists(program) else ""


def cognee_python() -> str:
    """The interpreter that has Cognee; "" when that version is not installed."""
    is_installed = cognee_file(COGNEE.replace("==", "-") + ".dist-info")
    return os.path.join(folder(), "cognee", "bin", "python3") if is_installed else ""


def cognee_file(name: str) -> str:
    """The path of a file of Cognee's packages, "" where there is none."""
    return next(iter(glob.glob(os.path.join(folder(), "cognee", "lib", "python3.*", "site-packages", name))), "")


def search_path() -> str:
    """The folders of the programs that the hosts need themselves: node, git and a shell."""
    needed = [os.path.dirname(path) for path in (shutil.which("node"), shutil.which("git")) if path]
    return os.pathsep.join(dict.fromkeys(needed + ["/usr/local/bin", "/usr/bin", "/bin"]))


def install() -> None:
    """Install what is missing. Raises CalledProcessError when npm or pip fails."""
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
    if not cognee_python():
        _install_cognee(os.path.join(folder(), "cognee"))


def _install_cognee(environment: str) -> None:
    """Into a virtual environment; pip writes the package itself last, so what is half done does not count."""
    _run(sys.executable, "-m", "venv", "--clear", environment)
    _run(os.path.join(environment, "bin", "python3"), "-m", "pip", "install", "--quiet", "--no-input",
         "--disable-pip-version-check", COGNEE)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    install()
    for each in PACKAGES:
        _run(find(each), "--version")
    print(COGNEE)
