"""Start the worker so that it outlives the hook and the host, and holds none of their pipes."""

from __future__ import annotations

import os
import sys

from memsift import INSIDE

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_WORKER = os.path.join(ROOT, "hooks", "worker.py")
_PASSED_ON = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "COGNEE_ENV_FILE", "SSL_CERT_FILE", "SSL_CERT_DIR",
              "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_OF_THE_COGNEE_PLUGIN = ("COGNEE_LOCAL_API_URL", "COGNEE_BASE_URL", "COGNEE_SERVICE_URL", "COGNEE_API_KEY", "COGNEE_BACKEND",
                         "COGNEE_CLAUDE_BACKEND", "COGNEE_CODEX_BACKEND", "COGNEE_PLUGIN_DATASET")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def worker(repository: str, *task: str) -> None:
    """Start a worker for a repository and return at once. `task`: what else worker.main shall do than sort.

    A host that ends a hook ends all its descendants, even those in a session of their own; only a grandchild whose
    parent is gone is none of them any more. Hence two forks.
    """
    command = [sys.executable or "python3", "-I", "-S", "-X", "utf8", _WORKER, repository, *task]
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        _let_go_of_everything()
        os.chdir("/")
        os.execve(command[0], command, environment())
    finally:
        os._exit(1)


def environment() -> dict[str, str]:
    """The few variables that a worker needs: the settings and how to reach a network. The host's keys are not among
    them."""
    kept = {name: value for name, value in os.environ.items()
            if name in _PASSED_ON + _OF_THE_COGNEE_PLUGIN or name.upper() in _PROXIES or name.startswith("MEMSIFT_")}
    kept[INSIDE] = "1"
    return kept


def _let_go_of_everything() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.closerange(3, 256)
