"""A temporary home with a project in it, where the real hooks and the real worker run inside this process."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
import types

from memsift import hook
from memsift import moments
from memsift import project
from memsift import worker
from memsift.compaction import compacting
from memsift.deadline import Deadline
from memsift.home import Home
from memsift.log import Log
from memsift.runtime import Runtime
from memsift.settings import Settings

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


class Stage:
    """Used as a context manager: nothing of it is left afterwards, and nothing outside of it is read or written.

    `day`: the date of what happens now. `sort_turns` runs what the hooks would have a detached worker do.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.settings = settings
        self.day = ""
        self.log = HeardLog()
        self._name = _NOT_IN_NAMES.sub("-", name).strip("-")[:60] or "project"
        self._waiting: set[str] = set()

    def __enter__(self) -> Stage:
        self._folder = tempfile.TemporaryDirectory(prefix="memsift-replay-")
        root = os.path.realpath(self._folder.name)
        self.home = Home(os.path.join(root, "home"))
        self.transcripts = os.path.join(root, "transcripts")
        self.scratch = os.path.join(root, "scratch")
        self.project = os.path.join(root, self._name)
        for folder in (self.transcripts, self.scratch, os.path.join(self.project, ".git")):
            os.makedirs(folder)
        with open(os.path.join(self.project, ".git", "HEAD"), "w", encoding="utf-8") as file:
            file.write("ref: refs/heads/main\n")
        self.repository = project.identify(self.project).name
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        self._folder.cleanup()

    def hook(self, host: str, moment: str, payload: dict) -> Answered:
        """Hand a payload to the hook of a moment, and time it."""
        self.log.decisions.clear()
        raw = json.dumps(payload).encode()
        started = time.perf_counter()
        output = hook.answer(host, moment, raw, Deadline(moments.SECONDS[moment]), self._open_runtime)
        spent = (time.perf_counter() - started) * 1000
        kind = next((facts.get("kind", "") for area, facts in self.log.decisions if area == "core-prompt"), "")
        specific = json.loads(output).get("hookSpecificOutput", {}) if output else {}
        return Answered(specific.get("additionalContext", ""), kind, spent)

    def sort_turns(self) -> None:
        """What the worker would do by now, done."""
        while self._waiting:
            worker.work(self._waiting.pop(), self._open_runtime(Deadline(worker.SECONDS)))

    def compact(self) -> None:
        """What the worker would do some time after a session's end, done."""
        compacting.attempt(self.repository, self._open_runtime(Deadline(worker.SECONDS)))

    def _open_runtime(self, deadline: Deadline) -> StagedRuntime:
        return StagedRuntime(self, deadline, self._waiting)


class Answered:
    """What a hook gave back: the `context` for the agent, the `kind` that the prompt was judged to be ("" where
    nothing was judged), and the `milliseconds` that it took inside this process."""

    __slots__ = ("context", "kind", "milliseconds")

    def __init__(self, context: str, kind: str, milliseconds: float) -> None:
        self.context = context
        self.kind = kind
        self.milliseconds = milliseconds


class StagedRuntime(Runtime):
    """The runtime of a stage: its home, its day, and a worker that waits until it is called."""

    __slots__ = ("_day", "_waiting")

    def __init__(self, stage: Stage, deadline: Deadline, waiting: set[str]) -> None:
        self.home = stage.home
        self.settings = stage.settings
        self.log = stage.log
        self.deadline = deadline
        self._day = stage.day
        self._waiting = waiting

    def today(self) -> str:
        return self._day

    def start_worker(self, repository: str) -> None:
        self._waiting.add(repository)


class HeardLog(Log):
    """A log that is listened to instead of written: the last hook's `decisions`, and all `errors` so far."""

    def __init__(self) -> None:
        super().__init__("")
        self.decisions: list[tuple[str, dict]] = []
        self.errors: list[str] = []

    def decision(self, area: str, facts: dict) -> None:
        self.decisions.append((area, facts))

    def error(self, area: str, message: str, error: BaseException | None = None) -> None:
        self.errors.append("%s: %s" % (area, message))
