"""Show, propose and, when told so, write the card of this repository."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memsift import card
from memsift import card_proposal
from memsift import files
from memsift import here
from memsift.commands import Failure

NAME = "card"
HELP = "show this repository's card (jev.md), or propose one and write it when told"
_DESCRIPTION = """\
The card is jev.md in the repository: it tells the judge in a few lines what the project is. It is yours: memsift
proposes a first one from README, manifests and git, and writes it only with --write and only where there is none.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--propose", action="store_true", help="show a new proposal, also where there is a card")
    parser.add_argument("--write", action="store_true", help="write the proposal as jev.md; never over an existing one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """0, also where the card looks outdated: it is the owner's."""
    root = here.project().root
    text = card.load(root)
    if arguments.write:
        return _write(root)
    if arguments.propose or not text:
        proposal = card_proposal.propose(root)
        return _show(arguments, root, text, proposal, [])
    return _show(arguments, root, text, "", card.outdated(root, text))


def _show(arguments: argparse.Namespace, root: str, text: str, proposal: str, outdated: list[str]) -> int:
    if arguments.json:
        facts = {"path": card.path(root), "card": text, "proposal": proposal, "outdated": outdated}
        print(json.dumps(facts, ensure_ascii=False))
        return 0
    print((proposal or text).rstrip("\n"))
    for reason in outdated:
        print("memsift: it looks outdated: %s." % reason, file=sys.stderr)
    if proposal and not text:
        print("memsift: this is a proposal; --write accepts it as %s." % card.path(root), file=sys.stderr)
    return 0


def _write(root: str) -> int:
    path = card.path(root)
    if os.path.lexists(path):
        raise Failure("%s is there already and is yours: edit it, or remove it first" % path)
    files.write_text(path, card_proposal.propose(root))
    os.chmod(path, os.stat(root).st_mode & 0o666)  # a file of the project's, not of memsift's
    print("Written: %s. Read it through, correct it, and commit it if you like." % path)
    return 0

