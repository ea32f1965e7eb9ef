"""`python3 -m memsift COMMAND`: parses the arguments and hands them to the command."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # a changed plugin folder loses the user's trust in Codex

import argparse
import os
import signal

import memsift
from memsift import commands

INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run a command; its exit code. A closed pipe and Ctrl-C end it without a word."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    try:
        chosen = _parser().parse_args(arguments)
        code = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at its end
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m memsift", description=memsift.__doc__)
    parser.add_argument("--version", action="version", version="memsift %s" % memsift.__version__)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in commands.ALL:
        subparser = subparsers.add_parser(command.NAME, help=command.HELP)
        subparser.set_defaults(run=command.run)
        command.add_arguments(subparser)
    return parser


def _leave(signal_number: int, _: object) -> None:
    """Unwind, so that temporary folders go."""
    sys.exit(128 + signal_number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
