"""Whether the person at the terminal agrees to what a tool is about to send."""

import sys


def agreed(stream, complain):
    """Ask on `stream`; False without asking where nobody can answer, which `complain` is told."""
    if not sys.stdin.isatty():
        complain("nobody can be asked here: add --yes to agree to the cost; nothing was sent")
        return False
    print("Go on? [y/N] ", end="", file=stream, flush=True)
    yes = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not yes:
        print("Nothing was sent.", file=stream)
    return yes
