"""Which services memsift has stopped calling, for the whole machine: state.json.

Three failures in a row pause a service, a refused key at once. Nothing but the user lifts a pause: a success only
resets the count. Being told to slow down (429, 529) neither counts nor resets.
"""

from __future__ import annotations

import json
import os
import time

from memsift import files
from memsift import lock

VERSION = 1
FAILURES_TO_PAUSE = 3
REFUSED = (401, 403)
TOLD_TO_SLOW_DOWN = (429, 529)
_WAIT_SECONDS = 0.5


class Pause:
    """A service that is not called: since when (UTC), why, and the number of this outage, which never repeats."""

    __slots__ = ("service", "since", "reason", "outage")

    def __init__(self, service: str, since: str, reason: str, outage: int) -> None:
        self.service = service
        self.since = since
        self.reason = reason
        self.outage = outage


class Pauses:
    """state.json. Reading and counting raise OSError, counting also lock.Locked."""

    def __init__(self, path: str) -> None:
        self._path = path

    def of(self, service: str) -> Pause | None:
        """The pause of a service, or None where it may be called."""
        facts = self._service(self._read(), service)
        paused = facts.get("paused")
        if not isinstance(paused, dict):
            return None
        outage = facts["outages"]
        return Pause(service, str(paused.get("since", "")), str(paused.get("reason", "")), outage)

    def failed(self, service: str, status: int, message: str) -> None:
        """Count a failure. `status`: of HTTP, 0 for no answer. `message`: what a person should read about it."""
        if status in TOLD_TO_SLOW_DOWN:
            return
        with lock.opened(self._path, _WAIT_SECONDS):
            state = self._read()
            facts = self._service(state, service)
            facts["failures"] += 1
            if not facts.get("paused") and (status in REFUSED or facts["failures"] >= FAILURES_TO_PAUSE):
                facts["outages"] += 1
                facts["paused"] = {"since": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "reason": message[:300]}
            self._write(state)

    def succeeded(self, service: str) -> None:
        """Reset the count; most calls find nothing to reset and write nothing."""
        if not self._service(self._read(), service)["failures"]:
            return
        with lock.opened(self._path, _WAIT_SECONDS):
            state = self._read()
            self._service(state, service)["failures"] = 0
            self._write(state)

    def resume(self, service: str) -> None:
        """Lift the pause of a service and forget its failures: only when the user said so."""
        facts = self._service(self._read(), service)
        if not facts["failures"] and not facts.get("paused"):
            return
        with lock.opened(self._path, _WAIT_SECONDS):
            state = self._read()
            self._service(state, service).update(failures=0, paused=None)
            self._write(state)

    def _read(self) -> dict:
        """The whole file. One that is broken is set aside, since its owner may want to look at it."""
        text = files.read_text(self._path).strip("\0 \r\n")
        try:
            state = json.loads(text) if text else {}
            if not isinstance(state, dict):
                raise ValueError
        except ValueError:
            os.replace(self._path, self._path + ".broken")
            state = {}
        return state

    def _write(self, state: dict) -> None:
        state.setdefault("version", VERSION)
        files.write_text(self._path, json.dumps(state, ensure_ascii=False, indent=1) + "\n")

    @staticmethod
    def _service(state: dict, service: str) -> dict:
        """The facts of a service inside `state`, made whole."""
        services = state.get("services")
        if not isinstance(services, dict):
            services = state["services"] = {}
        facts = services.get(service)
        if not isinstance(facts, dict):
            facts = services[service] = {}
        for name in ("failures", "outages"):
            if not isinstance(facts.get(name), int) or facts[name] < 0:
                facts[name] = 0
        return facts
