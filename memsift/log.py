"""debug.log: every error always, every decision when asked; one whole line per record, tracebacks indented."""

from __future__ import annotations

import json
import os
import time

from memsift import files
from memsift import lock

ROTATE_BYTES = 20_000_000
_WAIT_SECONDS = 0.2
# A terminal that follows the log must not obey it.
_CONTROL = {code: "\\u%04x" % code for code in (*range(0x9), *range(0xb, 0x20), *range(0x7f, 0xa0))}


def _stamp() -> str:
    now = time.time()
    return "%s.%03dZ" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)), now % 1 * 1000)


class Log:
    """A writer for one home. A log that cannot be written is no reason for anything else to fail."""

    def __init__(self, path: str, decisions: bool = False) -> None:
        self.path = path
        self.decisions = decisions

    def decision(self, area: str, facts: dict) -> None:
        """`DECISION area {json}`, only with MEMSIFT_DEBUG."""
        if self.decisions:
            from memsift import redact  # not at the top: a hook that has nothing to say ends without it
            self._write("DECISION %s %s" % (area, json.dumps(redact.redact_value(facts), ensure_ascii=False)))

    def error(self, area: str, message: str, error: BaseException | None = None) -> None:
        """`ERROR area message`, with the traceback of `error` in indented lines below."""
        record = "ERROR %s %s" % (area, message)
        if error is not None:
            import traceback  # only an error pays for it
            trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            record += "\n" + trace.rstrip()
        from memsift import redact  # as above
        self._write(redact.redact(record).replace("\n", "\n    "))

    def _write(self, record: str) -> None:
        line = "%s %s\n" % (_stamp(), record.translate(_CONTROL))
        try:
            files.make_folder(os.path.dirname(self.path))
            self._append(line.encode("utf-8", "replace"))
        except (OSError, lock.Locked):
            return  # a full disk or a read-only home: the host is told at the session's start

    def _append(self, line: bytes) -> None:
        with lock.opened(self.path, _WAIT_SECONDS) as descriptor:
            if os.fstat(descriptor).st_size + len(line) < ROTATE_BYTES:
                files.append_line(descriptor, line)
                return
            os.replace(self.path, self.path + ".1")
        with lock.opened(self.path, _WAIT_SECONDS) as descriptor:
            files.append_line(descriptor, line)


class Silent(Log):
    """The log where there is no home to write one in."""

    def __init__(self) -> None:
        super().__init__("")

    def _write(self, record: str) -> None:
        return
