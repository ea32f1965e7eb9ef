"""Commits as they are made on a command line."""

from __future__ import annotations

import re

_COMMIT = re.compile(r"\bgit\b[^|;&\n]*\bcommit\b")
_SUBJECT = re.compile(
    r"""(?:(?<=\s)-[a-z]*m|--message)[= ]?\s*"""
    r"""(?:"\$\(cat <<\s*\\?['"]?\w+['"]?\n\s*([^\n]+)|"((?:[^"\\]|\\.)+)"|'([^']+)'|(\S+))""")


def is_commit(command: str) -> bool:
    """Whether a command line makes a git commit, alone or among others."""
    return bool(_COMMIT.search(command))


def subject(command: str) -> str:
    """The first line of the message given on the command line, or ""."""
    found = _SUBJECT.search(command)
    text = next((group for group in found.groups() if group), "") if found else ""
    return text.split("\n")[0]
