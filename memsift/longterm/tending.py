"""What a worker does for the long-term store, after the turns are sorted: send what waits and, once for each start of a
session, see what the store holds, whether it has processed what it got, and have it open its files before a prompt asks.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable

from memsift import files
from memsift import lock
from memsift import switch
from memsift.longterm import cognee_index
from memsift.longterm import datasets
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import store as stores
from memsift.longterm import upload
from memsift.longterm.cognee import Dataset
from memsift.longterm.cognee import NotThere
from memsift.longterm.store import Store
from memsift.remote.service import Failed
from memsift.runtime import Runtime

AREA = "core-store"
MOST_OFTEN_SECONDS = 60  # `claude -p` starts a session for every prompt
RESERVE_SECONDS = 120.0  # a worker that has less left leaves the store to the next one
_LIST_SECONDS = 120.0
_WARM_SECONDS = 60.0  # the first search after a server's start takes 5 s a dataset
_WARM = "What was decided in this project?"


class Tending:
    """The care of one worker for one repository's part of the store."""

    def __init__(self, repository: str, runtime: Runtime) -> None:
        self._repository = repository
        self._runtime = runtime
        self._tried: set[tuple[str, int]] = set()
        self._looked = 0.0

    def run(self, must_stop: Callable[[], bool]) -> None:
        """Send, and look where it is time to. Raises OSError; failures of the store are logged and counted.
        `must_stop`: asked between the steps whether something else cannot wait."""
        server = self._store()
        if server is None or server.paused() or self._runtime.deadline.remaining() < RESERVE_SECONDS:
            self.leave()
            return
        self._tried = self._waiting()
        report = upload.drain(self._repository, self._runtime, must_stop)
        if self._is_time_to_look() and not must_stop():
            self._looked = time.time()
            if not report.is_able:
                return
            try:
                self._look(server)
            except Failed:
                return  # logged and counted; the index stays as it was

    def has_more(self) -> bool:
        """Whether something has come up since, which a worker that found this one at work has left to it."""
        if self._store() is None:
            return False
        return bool(self._waiting() - self._tried) or self._is_time_to_look()

    def leave(self) -> None:
        """Take what waits now for tried."""
        self._tried = self._waiting()
        self._looked = time.time()

    def _store(self) -> Store | None:
        return None if switch.is_off(self._runtime.home, self._repository) else stores.load(self._runtime)

    def _waiting(self) -> set[tuple[str, int]]:
        return {(packet.id, packet.made) for packet in outbox.waiting(self._runtime.home, self._repository)}

    def _is_time_to_look(self) -> bool:
        """Whether a session has started since this worker or an earlier one looked, or there is nothing to go by."""
        index = cognee_index.load(self._runtime.home, self._repository)
        seen = index.refreshed if index.server == self._runtime.settings["MEMSIFT_COGNEE_URL"] else 0.0
        if datasets.own(self._repository) not in index.datasets and processing.load(self._runtime.home, self._repository):
            seen = 0.0  # the first upload has made it meanwhile
        seen = max(seen, self._looked)
        if seen > time.time():
            seen = 0.0  # the clock was wrong
        return not seen or seen < min(_newest_start(self._repository, self._runtime), time.time() - MOST_OFTEN_SECONDS)

    def _look(self, server: Store) -> None:
        home = self._runtime.home
        found = server.attempt(AREA, lambda client: client.datasets(self._runtime.deadline.within(upload.CALL_SECONDS)))
        names = {dataset.name for dataset in found}
        purposes = self._purposes(names)
        held = {dataset.id: self._documents(server, dataset) for dataset in found if dataset.name in purposes}
        cognee_index.write(home, self._repository, str(self._runtime.settings["MEMSIFT_COGNEE_URL"]), time.time(),
                           self._worth_naming(found), held)
        mine = [dataset for dataset in found if dataset.name == datasets.own(self._repository)]
        check(self._repository, mine[0].id if mine else "", server, self._runtime)
        if purposes:
            server.attempt(AREA, lambda client: client.search(
                _WARM, list(purposes), 1, self._runtime.deadline.within(_WARM_SECONDS)))

    def _purposes(self, names: set[str]) -> dict[str, str]:
        """What may be asked, after a line for each dataset that had none was proposed."""
        home = self._runtime.home
        try:
            datasets.propose(home, sorted(names), str(self._runtime.settings["COGNEE_PLUGIN_DATASET"]))
        except (OSError, lock.Locked) as error:
            self._runtime.log.error(AREA, "datasets.md not written: %s" % error, error)
        try:
            return datasets.purposes(home, self._repository, names)
        except OSError as error:
            self._runtime.log.error(AREA, "datasets.md not read: %s" % error, error)
            return {}

    def _worth_naming(self, found: list[Dataset]) -> list[Dataset]:
        """Other repositories' datasets are nobody's business here."""
        mine = datasets.own(self._repository)
        return [dataset for dataset in found if dataset.name == mine or not datasets.is_reserved(dataset.name)]

    def _documents(self, server: Store, dataset: Dataset) -> list:
        try:
            return server.attempt(AREA, lambda client: client.documents(
                dataset.id, self._runtime.deadline.within(_LIST_SECONDS)))
        except NotThere:
            return []  # deleted just now, or not for this user to read


def check(repository: str, dataset_id: str, server: Store, runtime: Runtime) -> None:
    """See whether what was sent is processed, and have it processed again where that failed or was cut off.

    Raises Failed, OSError. `dataset_id`: "" where the store has no such dataset any more.
    """
    state = processing.load(runtime.home, repository)
    if state is None:
        return
    try:
        status = server.attempt(AREA, lambda client: client.status(
            dataset_id, runtime.deadline.within(upload.CALL_SECONDS))) if dataset_id else "gone"
    except NotThere:
        status = "gone"
    if status in ("completed", "gone"):
        processing.clear(runtime.home, repository)
        if status == "gone":
            runtime.log.error(AREA, "the store has lost the dataset of %s, which stands in the archive of this machine" % repository)
        return
    if status == "started" and state.is_recent(time.time()) or not state.may_repair(time.time()):
        return
    problem = "it has not ended since" if status == "started" else "it ended as %s" % (status or "never begun")
    runtime.log.error(AREA, "processing of %s: %s, and is begun again, try %d" % (
        repository, problem, state.repairs + 2))
    upload.process(repository, server, runtime, state.repairs + 1, problem)


def _newest_start(repository: str, runtime: Runtime) -> float:
    """When a session of this repository was last started or resumed, in seconds since 1970; 0.0 where none is known."""
    newest = 0.0
    folder = runtime.home.sessions
    for name in files.names(folder):
        if name.endswith(".json"):
            newest = max(newest, _start(os.path.join(folder, name), repository))
    return newest


def _start(path: str, repository: str) -> float:
    try:
        facts = json.loads(files.read_text(path))
    except (OSError, ValueError):
        return 0.0  # leftovers tells of it
    if not isinstance(facts, dict) or facts.get("repository") != repository:
        return 0.0
    ran = facts.get("ran")
    started = ran.get("session-start") if isinstance(ran, dict) else facts.get("started")
    return float(started) if isinstance(started, (int, float)) else 0.0
