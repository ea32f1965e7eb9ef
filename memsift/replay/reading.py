"""Which sort of recording a file is, and its content as a Recording."""

from __future__ import annotations

import json
import os

from memsift import files
from memsift.replay import labelled
from memsift.replay import transcript
from memsift.replay.recording import BadRecording
from memsift.replay.recording import Recording

_LARGEST_LABELLED = 64_000_000
_WHAT_IT_CAN_BE = "neither a labelled conversation nor a transcript of Claude Code nor a rollout of Codex"


def read(path: str) -> Recording:
    """The recording in a file, whatever sort it is; there may be no prompt in it.

    Raises BadRecording with one sentence that names the file.
    """
    real = os.path.realpath(path)  # a link that the user names may be followed
    try:
        host = transcript.host_of(real)
        if host:
            return transcript.read(path, host)
        raw = files.read_bytes(real, _LARGEST_LABELLED)
    except OSError as error:
        raise BadRecording("%s: %s" % (path, error.strerror or error)) from None
    if not raw.strip():
        raise BadRecording("%s: the file is empty" % path)
    return _read_labelled(path, raw)


def _read_labelled(path: str, raw: bytes) -> Recording:
    try:
        conversation = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadRecording("%s: %s" % (path, _WHAT_IT_CAN_BE)) from None
    if not isinstance(conversation, dict) or "sessions" not in conversation:
        raise BadRecording("%s: %s" % (path, _WHAT_IT_CAN_BE))
    return labelled.read(path, conversation)
