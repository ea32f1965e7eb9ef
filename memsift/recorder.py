"""What a remote judge was asked and answered, redacted, one JSON object a line: to try other thresholds later."""

from __future__ import annotations

import json
import os

from memsift import files
from memsift import lock
from memsift import redact

MOST_BYTES = 50_000_000
_WAIT_SECONDS = 0.2


def record(path: str, facts: dict) -> None:
    """Append a record; nothing where the file has reached its bound or cannot be written."""
    line = json.dumps(redact.redact_value(facts), ensure_ascii=False) + "\n"
    try:
        with lock.opened(path, _WAIT_SECONDS) as descriptor:
            if os.fstat(descriptor).st_size + len(line) <= MOST_BYTES:
                files.append_line(descriptor, files.encode(line))
    except (OSError, lock.Locked):
        return  # calibration is not worth a prompt
