"""What the README promises, for the tests to hold it to."""

from __future__ import annotations

import os
import re

from tests.live import checkout


def commands(program: str) -> list[list[str]]:
    """The commands of a program that install memsift, as arguments without the program's name."""
    section = re.search(r"^## Install$(.*?)^## ", _text(), re.MULTILINE | re.DOTALL).group(1)
    lines = re.findall(r"^    %s (.+)$" % re.escape(program), section, re.MULTILINE)
    return [line.split() for line in lines]


def block() -> str:
    """The example of what is added to a prompt."""
    return re.search(r"^```\w*\n(memsift: .*?)\n```$", _text(), re.MULTILINE | re.DOTALL).group(1)


def _text() -> str:
    with open(os.path.join(checkout.ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()
