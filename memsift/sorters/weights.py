"""The data file of the local sorter: hashed linear models in one small binary file.

Layout: magic, length of the header (4 bytes, little endian), header (JSON), then the sections one after
another. Each section is a table of signed or unsigned bytes, or of little-endian floats.
"""

from __future__ import annotations

import json
import struct
from zlib import crc32

MAGIC = b"MSW1"
_SIZES = {"b": 1, "B": 1, "f": 4}


class BadWeights(Exception):
    """The data file is not one that this version can read."""


class Weights:
    """`facts`: where the weights come from and how well they did. `tables`: name -> numbers."""

    __slots__ = ("facts", "tables")

    def __init__(self, facts: dict, tables: dict) -> None:
        self.facts = facts
        self.tables = tables


def pack(weights: Weights) -> bytes:
    """The bytes of a data file; tables are arrays of type "b", "B" or "f"."""
    sections = [[name, table.typecode, len(table)] for name, table in weights.tables.items()]
    header = json.dumps({"facts": weights.facts, "sections": sections}, sort_keys=True).encode()
    tables = [struct.pack("<%df" % len(table), *table) if table.typecode == "f" else table.tobytes()
              for table in weights.tables.values()]
    return b"".join([MAGIC, struct.pack("<I", len(header)), header] + tables)


def unpack(data: bytes) -> Weights:
    """The weights in a data file; raises BadWeights."""
    if data[:4] != MAGIC or len(data) < 8:
        raise BadWeights("not a file of weights")
    end = 8 + struct.unpack_from("<I", data, 4)[0]
    try:
        header = json.loads(data[8:end])
    except ValueError as error:
        raise BadWeights("header cannot be read") from error
    tables = {}
    for name, code, length in header["sections"]:
        start, end = end, end + length * _SIZES[code]
        if end > len(data):
            raise BadWeights("file is cut off")
        tables[name] = _table(memoryview(data)[start:end], code)
    return Weights(header["facts"], tables)


def _table(section: memoryview, code: str) -> memoryview | tuple[float, ...]:
    """Numbers, in place but for the few that depend on the machine's byte order."""
    return struct.unpack("<%df" % (len(section) // _SIZES[code]), section) if code == "f" else section.cast(code)


def slots(signs: list[str], bits: int) -> list[int]:
    """The places of signs in a hashed table of 2 ** bits rows."""
    mask = (1 << bits) - 1
    return [crc32(sign.encode("utf-8", "replace")) & mask for sign in signs]


class LinearModel:
    """One weight per class and slot: a mark counts less than all words of a text together."""

    __slots__ = ("classes", "bits", "scales", "offsets", "mark_share", "rows")

    def __init__(self, weights: Weights, name: str) -> None:
        facts = weights.facts["models"][name]
        self.classes = facts["classes"]
        self.bits = facts["bits"]
        self.scales = facts["scales"]
        self.offsets = facts["offsets"]
        self.mark_share = facts["mark_share"]
        table = weights.tables[name]
        size = 1 << self.bits
        self.rows = [table[i * size:(i + 1) * size] for i in range(len(self.scales))]

    def margins(self, groups: list[list[str]], marks: list[str]) -> list[float]:
        """One number per class; each group of text signs is divided by the root of its length."""
        places = [(slots(group, self.bits), len(group) ** -0.5) for group in groups if group]
        places.append((slots(marks, self.bits), self.mark_share))
        return [offset + scale * sum(sum(map(row.__getitem__, place)) * share for place, share in places)
                for row, scale, offset in zip(self.rows, self.scales, self.offsets)]
