"""The card: jev.md in the repository, a short description of the project that belongs to the developer."""

from __future__ import annotations

import os

from memsift import files
from memsift.excerpt import excerpt

NAME = "jev.md"
LONGEST = 6_000
MANY_COMMITS = 200  # since the card was last changed


def read(root: str) -> str:
    """The card of a working tree, redacted; "" where there is none or it cannot be read."""
    try:
        return load(root) if root else ""
    except OSError:
        return ""


def load(root: str) -> str:
    """The same, but raises OSError for a card that is there and cannot be read."""
    return excerpt(files.read_text(path(root)).strip(), LONGEST)


def path(root: str) -> str:
    """Where the card of a working tree is."""
    return os.path.join(root, NAME)


def outdated(root: str, text: str) -> list[str]:
    """Why the repository may have moved on from its card, each reason a part of a sentence. Runs git if it is there."""
    from memsift import card_proposal
    gone, unmentioned = card_proposal.missing_paths(root, text), card_proposal.unmentioned(root, text)
    reasons = ["it names %s, which is not there any more" % name for name in gone[:3]]
    reasons += ["it does not mention %s, which %s says is used" % pair for pair in unmentioned[:3]]
    commits = card_proposal.commits_since(root, files.written(path(root)) or 0.0)
    if commits >= MANY_COMMITS:
        reasons.append("%d commits were made since it was last changed" % commits)
    return reasons
