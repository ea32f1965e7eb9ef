"""The lines of a growing file from its end, in bounded memory however large the file or a line is."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memsift import files

BLOCK_BYTES = 1 << 16
LONGEST_LINE = 4_000_000


def lines_backwards(path: str, limit: int) -> Iterator[bytes]:
    """Complete lines, last first, from the final `limit` bytes. A line without its newline is still being written
    and is yielded too (the reader of the line decides); one longer than LONGEST_LINE is left out."""
    with os.fdopen(files.open_plain(path), "rb") as file:
        position = file.seek(0, os.SEEK_END)
        stop = max(0, position - limit)
        pieces: list[bytes] = []  # of the line whose start is not read yet, last piece first
        held = 0
        while position > stop:
            size = min(BLOCK_BYTES, position - stop)
            position -= size
            file.seek(position)
            first, *rest = file.read(size).split(b"\n")
            if rest:
                held += len(rest[-1])
                yield from _join(rest.pop(), pieces, held)
                yield from (line for line in reversed(rest) if line)
                pieces, held = [], 0
            held += len(first)
            pieces = pieces + [first] if held <= LONGEST_LINE else []
        if position == 0:
            yield from _join(b"", pieces, held)


def _join(start: bytes, pieces: list[bytes], held: int) -> Iterator[bytes]:
    if held > LONGEST_LINE:
        return
    line = start + b"".join(reversed(pieces))
    if line:
        yield line


def lines_forwards(path: str) -> Iterator[bytes]:
    """Every line from the start, without those longer than LONGEST_LINE."""
    with os.fdopen(files.open_plain(path), "rb") as file:
        whole = True
        for piece in iter(lambda: file.readline(LONGEST_LINE + 1), b""):
            if whole and (piece.endswith(b"\n") or len(piece) <= LONGEST_LINE):
                yield piece.rstrip(b"\r\n")
            whole = piece.endswith(b"\n")
