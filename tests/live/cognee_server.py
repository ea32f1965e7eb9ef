"""The real Cognee server with its embedded stores, on a free port of this machine, offline.

    with running(access_control=True) as server:
        ...  # server.url, server.key

`python3 -m tests.live.cognee_server [off] [minilm]` runs one until Ctrl-C: off is access control, and minilm needs
MEMSIFT_MINILM_PYTHON to name an interpreter that has it. Without minilm, embeddings are made of hashed words.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator

from tests import processes
from tests.live import cognee_models
from tests.live import programs

START_SECONDS = 240.0
STOP_SECONDS = 20.0
_EMAIL = "default_user@example.com"
_FOLDERS = {"DATA_ROOT_DIRECTORY": "data", "SYSTEM_ROOT_DIRECTORY": "system", "CACHE_ROOT_DIRECTORY": "cache",
            "COGNEE_LOGS_DIR": "logs", "COGNEE_REPOS_DIR": "repos", "HOME": "home"}


@dataclasses.dataclass
class Server:
    """A running server; `key` is "" where access control is off. `log`: the file with what it prints. `pid`: its
    process, for a test that kills it."""

    url: str
    key: str
    log: str
    pid: int = 0


@contextlib.contextmanager
def running(access_control: bool = True, minilm: str = "") -> Iterator[Server]:
    """Within, the server runs. `minilm`: an interpreter that has MiniLM. Raises AssertionError where it does not start."""
    folder = tempfile.mkdtemp(prefix="memsift-cognee-")
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(processes.end, folder)  # its own helpers, where it had to be killed
        models = stack.enter_context(_minilm(minilm, folder) if minilm else cognee_models.running())
        yield stack.enter_context(served(folder, models, access_control))


@contextlib.contextmanager
def served(folder: str, models: str, access_control: bool = True) -> Iterator[Server]:
    """A server with its stores in a folder, where it finds what an earlier one has left. `models`: as cognee_models gives."""
    port = _free_port()
    log = os.path.join(folder, "server.log")
    environment = _environment(folder, models, port, access_control)
    command = [programs.cognee_python(), "-m", "cognee.api.client"]
    with _process(command, folder, environment, log) as process:
        server = Server("http://127.0.0.1:%d" % port, "", log, process.pid)
        _wait_until_healthy(server, process)
        if access_control:
            server.key = _make_key(server.url)
        yield server


@contextlib.contextmanager
def _minilm(python: str, folder: str) -> Iterator[str]:
    log = os.path.join(folder, "models.log")
    environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1",
                   "OMP_NUM_THREADS": "1"}
    with _process([python, os.path.abspath(cognee_models.__file__)], folder, environment, log) as process:
        give_up = time.monotonic() + START_SECONDS
        while not _address(log):
            assert process.poll() is None and time.monotonic() < give_up, _read(log)[-2000:]
            time.sleep(0.2)
        yield _address(log)


def _address(log: str) -> str:
    """What a server printed of itself, below whatever its libraries have to say; "" as long as it has not."""
    return next((line for line in _read(log).splitlines() if line.startswith("http") and line.isascii()), "")


@contextlib.contextmanager
def _process(command: list[str], folder: str, environment: dict[str, str], log: str) -> Iterator[subprocess.Popen]:
    """A process of ours, ended afterwards by its id."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(folder: str, models: str, port: int, access_control: bool) -> dict[str, str]:
    environment = {name: os.path.join(folder, each) for name, each in _FOLDERS.items()}
    for path in environment.values():
        os.makedirs(path, exist_ok=True)
    environment.update({
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "*",
        "HTTP_API_HOST": "127.0.0.1", "HTTP_API_PORT": str(port), "ENV": "prod", "TELEMETRY_DISABLED": "true",
        "LLM_PROVIDER": "custom", "LLM_MODEL": "openai/scripted", "LLM_ENDPOINT": models, "LLM_API_KEY": "invented",
        "EMBEDDING_PROVIDER": "openai_compatible", "EMBEDDING_MODEL": "scripted", "EMBEDDING_ENDPOINT": models,
        "EMBEDDING_API_KEY": "invented", "EMBEDDING_DIMENSIONS": str(cognee_models.DIMENSIONS),
        "COGNEE_SKIP_CONNECTION_TEST": "true", "ALLOW_HTTP_REQUESTS": "false", "HF_HUB_OFFLINE": "1",
        # What it would fetch from elsewhere at its first start lies in one of its packages as well.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "TIKTOKEN_CACHE_DIR": programs.cognee_file("litellm/litellm_core_utils/tokenizers"),
        "DEFAULT_USER_EMAIL": _EMAIL, "DEFAULT_USER_PASSWORD": _word(), "FASTAPI_USERS_JWT_SECRET": "invented " * 5,
        "FASTAPI_USERS_RESET_PASSWORD_TOKEN_SECRET": "invented", "FASTAPI_USERS_VERIFICATION_TOKEN_SECRET": "invented"})
    if not access_control:
        environment.update(ENABLE_BACKEND_ACCESS_CONTROL="false", REQUIRE_AUTHENTICATION="false")
    return environment


def _word() -> str:
    return "only-" + "here"


def _make_key(url: str) -> str:
    form = urllib.parse.urlencode({"username": _EMAIL, "password": _word()}).encode("ascii")
    token = _json(urllib.request.Request(url + "/api/v1/auth/login", form))["access_token"]
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    return _json(urllib.request.Request(url + "/api/v1/auth/api-keys", b'{"name": "tests"}', headers))["key"]


def _json(request: urllib.request.Request) -> dict:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def _wait_until_healthy(server: Server, process: subprocess.Popen) -> None:
    give_up = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError):  # what urllib raises for a refusal and for 503 is one
            _json(urllib.request.Request(server.url + "/health"))
            return
        assert process.poll() is None and time.monotonic() < give_up, _read(server.log)[-2000:]
        time.sleep(0.1)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


if __name__ == "__main__":
    with running("off" not in sys.argv, os.environ["MEMSIFT_MINILM_PYTHON"] if "minilm" in sys.argv else "") as started:
        print("MEMSIFT_COGNEE_URL=%s\nMEMSIFT_COGNEE_KEY=%s" % (started.url, started.key), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(1)
