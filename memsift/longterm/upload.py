"""Sending the packets of a repository to its dataset in the long-term store, and deleting there what they took the place of.

Every step may be done twice: equal documents are stored once, what is deleted stays deleted, and a packet leaves the
outbox only when the store has accepted all of it and begun to process it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from memsift import lock
from memsift.longterm import datasets
from memsift.longterm import document
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.longterm import store as stores
from memsift.longterm.cognee import Document
from memsift.longterm.cognee import NotThere
from memsift.longterm.cognee import Upload
from memsift.longterm.outbox import Packet
from memsift.longterm.pieces import OWN_TAG
from memsift.longterm.store import Store
from memsift.remote.service import Failed
from memsift.runtime import Runtime

AREA = "core-upload"
CALL_SECONDS = 30.0
_ADD_SECONDS = 60.0  # 40 documents took a busy machine 4 s
_RESERVE_SECONDS = 90.0  # for the last calls before this process has to end
_ABOUT_THIS_PACKET = (400, 409, 413, 415, 422)
_MOST_REFUSED = 5  # packets in one round; then it is not the packets
_NOT_ALONE = "another process is sending them"
_BUSY = "it still processes what it was sent before"


class Report:
    """What became of a repository's packets: `sent` and `deleted` documents, packets that still wait, and why.

    `is_able`: whether the store may be asked for something else now.
    """

    __slots__ = ("sent", "deleted", "waiting", "problem", "is_able")

    def __init__(self) -> None:
        self.sent = 0
        self.deleted = 0
        self.waiting = 0
        self.problem = ""
        self.is_able = True

    def facts(self) -> dict:
        """For the log."""
        return {name: getattr(self, name) for name in self.__slots__}


def drain(repository: str, runtime: Runtime, must_stop: Callable[[], bool] = lambda: False) -> Report:
    """Send the packets that wait, unless the store is paused or not set. Raises OSError; failures of the store are
    logged and counted, and the packets stay. `must_stop`: asked between packets whether something else cannot wait."""
    report = Report()
    for name, problem in outbox.broken(runtime.home, repository).items():
        runtime.log.error(AREA, "the packet outbox/%s of %s is broken (%s) and stays where it is" % (name, repository, problem))
    packets = outbox.waiting(runtime.home, repository)
    server = stores.load(runtime) if packets else None
    if server is not None:
        try:
            with lock.held(outbox.sending_lock(runtime.home, repository)):
                _Sending(repository, server, runtime, report).run(outbox.waiting(runtime.home, repository), must_stop)
        except Failed as error:  # logged and counted already
            report.problem, report.is_able = error.message, False
        except lock.Locked:
            report.problem = _NOT_ALONE
    report.waiting = len(outbox.waiting(runtime.home, repository)) if packets else 0
    if packets and server is not None:
        runtime.log.decision(AREA, dict(report.facts(), repository=repository))
    return report


class _Sending:
    """One round of sending. Methods raise Failed and OSError."""

    def __init__(self, repository: str, server: Store, runtime: Runtime, report: Report) -> None:
        self._repository = repository
        self._dataset = datasets.own(repository)
        self._server = server
        self._runtime = runtime
        self._report = report
        self._dataset_id = ""
        self._held: dict[str, list[str]] = {}  # the ids of the documents of each name

    def run(self, packets: list[Packet], must_stop: Callable[[], bool]) -> None:
        self._look()
        if self._is_busy():
            self._report.problem = _BUSY
            return
        newest = {id: packet.made for packet in packets for id in packet.ids()}
        accepted: list[Packet] = []
        refused = 0
        for packet in packets:
            if must_stop() or refused == _MOST_REFUSED or self._runtime.deadline.remaining() < _RESERVE_SECONDS:
                break
            if self._is_taken(packet, newest):
                accepted.append(packet)
            else:
                refused += 1
        if self._report.sent:
            process(self._repository, self._server, self._runtime)
        for packet in accepted:
            outbox.remove(self._runtime.home, self._repository, packet)

    def _call(self, act: Callable[[object, object], object], seconds: float = 0.0) -> object:
        deadline = self._runtime.deadline.within(seconds or CALL_SECONDS)
        return self._server.attempt(AREA, lambda client: act(client, deadline))

    def _look(self) -> None:
        """See which documents the dataset holds now: another machine may have sent some, or deleted them all."""
        found = self._call(lambda client, deadline: client.datasets(deadline))
        self._dataset_id = next((each.id for each in found if each.name == self._dataset), "")
        if not self._dataset_id:
            return
        try:
            held = self._call(lambda client, deadline: client.documents(self._dataset_id, deadline), _ADD_SECONDS)
        except NotThere:
            held = []
        for each in held:
            self._held.setdefault(_plain_name(each), []).append(each.id)

    def _is_busy(self) -> bool:
        """Whether the dataset is being processed: then it takes nothing in before that is over, however long."""
        if not self._dataset_id:
            return False
        status = self._call(lambda client, deadline: client.status(self._dataset_id, deadline))
        return status == "started" and _may_still_work(self._repository, self._runtime)

    def _is_taken(self, packet: Packet, newest: dict[str, int]) -> bool:
        """Send a packet; False where the server is well and yet does not take this one."""
        try:
            self._send(packet, newest)
        except Failed as error:
            if error.status < 500 and error.status not in _ABOUT_THIS_PACKET:
                raise
            self._call(lambda client, deadline: client.datasets(deadline))
            self._runtime.log.error(AREA, "the packet outbox/%s of %s is not taken" % (packet.id, self._repository))
            self._report.problem = error.message
            return False
        return True

    def _send(self, packet: Packet, newest: dict[str, int]) -> None:
        """Have all of a packet stored, and then deleted what it took the place of; what a later packet says anew is left
        to that one."""
        entries = [entry for entry in packet.entries if newest[entry.id] == packet.made]
        uploads = [Upload(document.name(entry.id) + document.SUFFIX, document.write(entry), document.facts(entry))
                   for entry in entries]
        if uploads:
            added = self._call(lambda client, deadline: client.add(
                self._dataset, uploads, [OWN_TAG, self._repository], deadline), _ADD_SECONDS)
            self._dataset_id = added.dataset_id or self._dataset_id
            self._report.sent += len(uploads)
            for upload in uploads:
                id = added.data_ids.get(upload.name)
                if id:  # else nobody knows which of that name is the new one
                    self._keep_only(id, upload.name[:-len(document.SUFFIX)])
        for id in packet.forget:
            if newest[id] == packet.made:
                self._keep_only("", document.name(id))

    def _keep_only(self, id: str, name: str) -> None:
        """Delete every document of that name but this one."""
        for old in self._held.get(name, ()):
            if old != id:
                try:
                    self._call(lambda client, deadline: client.forget(self._dataset_id, old, deadline))
                    self._report.deleted += 1
                except NotThere:
                    pass  # gone already
        self._held[name] = [id] if id else []


def process(repository: str, server: Store, runtime: Runtime, repairs: int = 0, problem: str = "") -> None:
    """Have the store process what it holds, and remember that this is not known to be done. Raises Failed, OSError."""
    server.attempt(AREA, lambda client: client.cognify([datasets.own(repository)], runtime.deadline.within(CALL_SECONDS)))
    processing.write(runtime.home, repository, processing.Unprocessed(time.time(), repairs, problem))


def _may_still_work(repository: str, runtime: Runtime) -> bool:
    """Whether a store that says so may really be processing, which is not known of one that was killed meanwhile."""
    state = processing.load(runtime.home, repository)
    if state is None:  # somebody else asked it to: from now on the time counts
        processing.write(runtime.home, repository, processing.Unprocessed(time.time()))
        return True
    return state.is_recent(time.time())


def _plain_name(held: Document) -> str:
    return held.name[:-len(document.SUFFIX)] if held.name.endswith(document.SUFFIX) else held.name
