"""Three real System One servers by independent makers, installed from packages and run on loopback.

    with running("sparrow-decider") as url:
        ...

Each is in a virtual environment of its own in the cache folder of the live tests, made when it is first needed.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.live import programs
from tests.live import tiny_gguf

PACKAGES = {"sparrow-decider": "sparrow-decider==0.2.0", "dev-double": "dev-double==0.2.0",
            "llama.cpp": "xllamacpp==2026.10.11549"}
START_SECONDS = 60.0
INSTALL_SECONDS = 600.0
_LOADING = 503

_LLAMA = """
import sys, threading, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.hostnames, parameters.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = int(sys.argv[3]), 1, 1
parameters.api_keys = sys.argv[4:]
server = xllamacpp.Server(parameters)
threading.Event().wait()
"""


class Unavailable(Exception):
    """A server cannot be had on this machine; the message says why."""


@contextlib.contextmanager
def running(name: str, key: str = "") -> Iterator[str]:
    """Within, the server runs, and the value is its endpoint's URL. Raises Unavailable. Only llama.cpp wants a key."""
    environment = _environment(name)
    with tempfile.TemporaryDirectory(prefix="memsift-live-") as folder:
        port = _free_port()
        log = os.path.join(folder, "server.log")
        with open(log, "wb") as output:
            process = subprocess.Popen(_command(name, environment, folder, port, key), stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, cwd=folder, env=_variables(folder))
        try:
            _wait_until_it_answers(name, process, port, log)
            yield "http://127.0.0.1:%d/v1/systemone" % port
        finally:
            process.terminate()
            process.wait(20)


def _command(name: str, environment: str, folder: str, port: int, key: str) -> list[str]:
    program = os.path.join(environment, "bin", name)
    if name == "sparrow-decider":
        return [program, "serve", "--host", "127.0.0.1", "--port", str(port)]
    if name == "dev-double":
        return [program, "serve", "--engine", "mock", "--host", "127.0.0.1", "--port", str(port)]
    model = os.path.join(folder, "tiny.gguf")
    tiny_gguf.write(model)
    python = os.path.join(environment, "bin", "python")
    return [python, "-c", _LLAMA, model, str(port), str(tiny_gguf.CONTEXT)] + ([key] if key else [])


def _variables(folder: str) -> dict[str, str]:
    return {"HOME": folder, "PATH": programs.search_path(), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def _environment(name: str) -> str:
    """The folder of the server's virtual environment, with the package in it."""
    folder = os.path.join(programs.folder(), PACKAGES[name].replace("==", "-"))
    complete = os.path.join(folder, "complete")
    if os.path.exists(complete):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(programs.folder(), exist_ok=True)
    _run(name, sys.executable, "-m", "venv", folder)
    _run(name, os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--no-input",
         "--disable-pip-version-check", "--retries", "1", "--timeout", "20", PACKAGES[name])
    with open(complete, "wb"):
        return folder


def _run(name: str, *command: str) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable("%s could not be installed within %d s" % (name, INSTALL_SECONDS)) from None
    if done.returncode:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise Unavailable("%s cannot be installed here: %s" % (name, said[-1]))


def _status(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    finally:
        connection.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _wait_until_it_answers(name: str, process: subprocess.Popen, port: int, log: str) -> None:
    give_up = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < give_up:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if _status(port) != _LOADING:
                return
        time.sleep(0.05)
    with open(log, encoding="utf-8", errors="replace") as file:
        said = file.read().strip().splitlines() or ["nothing"]
    raise Unavailable("%s does not run here; its last words: %s" % (name, said[-1]))
