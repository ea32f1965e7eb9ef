"""From the host's standard input to the printed answer: the whole of a hook, and its only safety net.

Whatever happens in here, the process exits 0 and prints one JSON object or nothing, within the moment's deadline.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from collections.abc import Callable

from memsift import INSIDE
from memsift import hosts
from memsift import moments
from memsift.deadline import Deadline
from memsift.deadline import DeadlinePassed
from memsift.event import REQUEST
from memsift.event import Answer
from memsift.event import BadPayload
from memsift.event import Event


def main(host_name: str, arguments: list[str]) -> None:
    """Run the hook of a host for the moment named by its only argument, and end the process."""
    output = ""
    try:
        moment = arguments[0] if len(arguments) == 1 else ""
        if moment in moments.SECONDS and not os.environ.get(INSIDE):
            deadline = Deadline(moments.SECONDS[moment])
            _arm(deadline)
            output = answer(host_name, moment, sys.stdin.buffer.read(), deadline)
    except BaseException as error:  # the boundary: nothing may reach the host as a failure
        _log(arguments, error)
    finally:
        _print_and_exit(output)


def answer(host_name: str, moment: str, raw: bytes, deadline: Deadline,
           open_runtime: Callable[[Deadline], object] | None = None) -> str:
    """What to print for one payload. Raises whatever goes wrong. `open_runtime`: for a home other than the user's."""
    host = hosts.load(host_name)
    event = host.read(moment, _parse(raw))
    return host.write(moment, _act(event, host, deadline, open_runtime)) if event else ""


def _act(event: Event, host: types.ModuleType, deadline: Deadline,
         open_runtime: Callable[[Deadline], object] | None) -> Answer:
    """What the event's moment answers. Only from here on is anything loaded that an early end does not need."""
    from memsift.home import NoHome
    from memsift.runtime import Runtime
    try:
        runtime = (open_runtime or Runtime)(deadline)
    except NoHome as error:
        if event.moment not in ("session-start", REQUEST):
            raise
        return Answer(message="memsift remembers nothing now: %s." % error)
    if _is_own(event.cwd, runtime.home.root):
        return Answer()
    if event.moment != REQUEST and (runtime.settings.sorter == "off" or _is_switched_off(event, runtime.home)):
        return Answer()
    return moments.load(event.moment)(event, host, runtime)


def _is_switched_off(event: Event, home: object) -> bool:
    if not os.path.isdir(home.off):
        return False
    from memsift import switch  # rare
    return switch.is_off_for(event, home)


def _parse(raw: bytes) -> dict:
    try:
        payload = json.loads(raw.decode("utf-8", "replace"), strict=False)
    except ValueError as error:
        raise BadPayload("standard input is not JSON (%d bytes): %s" % (len(raw), error)) from None
    if not isinstance(payload, dict):
        raise BadPayload("standard input is JSON, but no object")
    return payload


def _is_own(folder: str, root: str) -> bool:
    """Whether a host was started by memsift itself, which does so inside its own home only: the second sign
    beside the variable, for an environment that was not passed on."""
    return os.path.realpath(folder + os.sep).startswith(os.path.realpath(root) + os.sep) or \
        os.path.realpath(folder) == os.path.realpath(root)


def _arm(deadline: Deadline) -> None:
    def expire(*_: object) -> None:
        raise DeadlinePassed("%.1f s" % deadline.elapsed())
    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, deadline.remaining())


def _log(arguments: list[str], error: BaseException) -> None:
    """Write the error down where that is possible; the prompt goes on all the same where it is not."""
    from memsift import home
    from memsift import log
    signal.setitimer(signal.ITIMER_REAL, 1.0)  # a second more, not for ever
    expected = isinstance(error, (BadPayload, DeadlinePassed, home.NoHome))
    message = "%s %s: %s" % (" ".join(arguments), type(error).__name__, error)
    try:
        log.Log(home.Home(home.locate()).log).error("hook", message, None if expected else error)
    except (home.NoHome, DeadlinePassed):
        pass


def _print_and_exit(output: str) -> None:
    """Write once and leave without the interpreter's own farewell, which can fail on a closed pipe."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        os.write(1, output.encode("utf-8", "replace"))
    finally:
        os._exit(0)
