"""The card: jev.md in the repository, a short description of the project that belongs to the developer."""

from __future__ import annotations

import os

from memsift import files
from memsift.excerpt import excerpt

NAME = "jev.md"
LONGEST = 6_000


def read(root: str) -> str:
    """The card of a working tree, redacted; "" where there is none or it cannot be read."""
    try:
        return excerpt(files.read_text(os.path.join(root, NAME)).strip(), LONGEST) if root else ""
    except OSError:
        return ""
