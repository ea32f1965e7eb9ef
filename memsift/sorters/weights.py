"""The data file of the local sorter: hashed linear models in one small binary file.

Layout: magic, length of the header (4 bytes, little endian), header (JSON), then the sections one after another, each a
table of signed or unsigned bytes. The few numbers that are no bytes stand in the header.
"""

from __future__ import annotations

import json
from binascii import crc32

MAGIC = b"MSW2"


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
    numbers = {name: list(table) for name, table in weights.tables.items() if table.typecode == "f"}
    tables = {name: table for name, table in weights.tables.items() if name not in numbers}
    sections = [[name, table.typecode, len(table)] for name, table in tables.items()]
    header = json.dumps({"facts": weights.facts, "numbers": numbers, "sections": sections}, sort_keys=True).encode()
    return b"".join([MAGIC, len(header).to_bytes(4, "little"), header] + [table.tobytes() for table in tables.values()])


def unpack(data: bytes) -> Weights:
    """The weights in a data file; raises BadWeights."""
    if data[:4] != MAGIC or len(data) < 8:
        raise BadWeights("not a file of weights")
    end = 8 + int.from_bytes(data[4:8], "little")
    try:
        header = json.loads(data[8:end])
    except ValueError as error:
        raise BadWeights("header cannot be read") from error
    tables = dict(header["numbers"])
    for name, code, length in header["sections"]:
        start, end = end, end + length
        if end > len(data):
            raise BadWeights("file is cut off")
        tables[name] = memoryview(data)[start:end].cast(code)
    return Weights(header["facts"], tables)


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
