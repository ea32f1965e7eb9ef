"""Asks a service many questions, a few at a time, and stops early when there is no use in going on."""

import json
import queue
import threading
import time

from memsift.deadline import Deadline
from memsift.remote.pauses import FAILURES_TO_PAUSE
from memsift.remote.pauses import TOLD_TO_SLOW_DOWN
from memsift.remote.service import Failed
from memsift.sorters import budget
from memsift.sorters.jev import JevSorter

REQUEST_OVERHEAD = 300  # tokens that a request costs beside its text: 296 to 307 in the vendor's smallest examples
_HOPELESS = (401, 402, 403, 404)  # no key, no credit, no permission, no such model: the next request fares no better
_MOST_WAITS = 6
_LONGEST_WAIT = 300.0
_FIRST_WAIT = 5.0  # seconds, doubled each time, where the service does not say how long
_PROGRESS_SECONDS = 0.1


class _Measuring:
    """In the place of a client: tells the size of a request, and sends nothing."""

    def __init__(self):
        self.tokens = 0

    def ask(self, state, questions, deadline):
        text = json.dumps(state, ensure_ascii=False), json.dumps(questions, ensure_ascii=False)
        self.tokens = sum(map(budget.estimate, text)) + REQUEST_OVERHEAD
        raise Failed(0, "nothing is sent for an estimate")


def estimate(case):
    """About how many input tokens the request for a case has."""
    client = _Measuring()
    try:
        case.judge(JevSorter(client), Deadline(1.0))
    except Failed:
        pass
    return client.tokens


class Asking:
    """What came of asking. `judgements`: by the position of the case. `stopped`: why not all were asked, or ""."""

    def __init__(self, client, seconds=20.0, parallel=4, stream=None):
        self.judgements, self.failures, self.answers = {}, [], []
        self.stopped, self.interrupted = "", False
        self._client, self._seconds, self._parallel = client, seconds, parallel
        self._stream = stream if stream is not None and stream.isatty() else None
        self._lock, self._over = threading.Lock(), threading.Event()
        self._in_a_row, self._not_before = 0, 0.0

    def ask(self, state, questions, deadline):
        """As a client does; the answers are kept for their times and counts."""
        answers = self._client.ask(state, questions, deadline)
        with self._lock:
            self.answers.append(answers)
        return answers

    def run(self, cases):
        """Ask for all cases; returns early, with what there is, when told to stop."""
        waiting = queue.Queue()
        for numbered in enumerate(cases):
            waiting.put(numbered)
        threads = [threading.Thread(target=self._work, args=(waiting,), daemon=True) for _ in range(self._parallel)]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads) and not self._over.is_set():
                self._over.wait(_PROGRESS_SECONDS)
                self._tell("%d of %d requests answered" % (len(self.judgements), len(cases)))
        except KeyboardInterrupt:
            self.interrupted = True
            self._stop("interrupted")
        self._tell("")

    def _work(self, waiting):
        sorter = JevSorter(self)
        while not self._over.is_set():
            try:
                number, case = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                judgement = self._patiently(case, sorter)
            except Failed as error:
                self._failed(error)
                continue
            with self._lock:
                if not self._over.is_set():
                    self._in_a_row = 0
                    self.judgements[number] = judgement

    def _patiently(self, case, sorter):
        """Ask again after a wait for as long as the service asks for patience, and for nothing else."""
        for attempt in range(_MOST_WAITS):
            self._over.wait(max(0.0, self._not_before - time.monotonic()))
            try:
                return case.judge(sorter, Deadline(self._seconds))
            except Failed as error:
                wait = _FIRST_WAIT * 2 ** attempt if error.retry_after is None else error.retry_after
                if error.status not in TOLD_TO_SLOW_DOWN or wait > _LONGEST_WAIT or self._over.is_set():
                    raise
                with self._lock:  # nobody asks meanwhile
                    self._not_before = max(self._not_before, time.monotonic() + wait)
        raise Failed(TOLD_TO_SLOW_DOWN[0], "the service still asks to slow down after %d waits" % _MOST_WAITS)

    def _failed(self, error):
        with self._lock:
            if self._over.is_set():
                return
            self.failures.append(str(error))
            self._in_a_row += 1
            in_a_row = self._in_a_row
        if error.status in _HOPELESS:
            self._stop("the service refuses (status %d): %s" % (error.status, error.message))
        elif in_a_row >= FAILURES_TO_PAUSE:
            self._stop("%d failures in a row, the last: %s" % (in_a_row, error))

    def _stop(self, reason):
        with self._lock:
            if not self._over.is_set():
                self.stopped = reason
                self._over.set()

    def _tell(self, text):
        if self._stream:
            self._stream.write("\r%-60s\r%s" % ("", text))
            self._stream.flush()
