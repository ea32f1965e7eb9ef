"""`python3 -m memsift COMMAND`: parses the arguments and hands them to the command."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # a changed plugin folder loses the user's trust in Codex

import argparse
import os
import signal

import memsift
from memsift import commands
from memsift import lock
from memsift.home import NoHome

INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run a command; its exit code. A closed pipe and Ctrl-C end it without a word."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    try:
        chosen = _parser(arguments[:1]).parse_args(arguments)
        code = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except (NoHome, commands.Failure) as error:
        return _fail(str(error))
    except lock.Locked as error:
        return _fail("somebody else is at work on %s; try again in a moment" % error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at its end
        return 1
    except OSError as error:
        return _fail("%s: %s" % (error.filename, error.strerror) if error.filename else str(error))


def _fail(sentence: str) -> int:
    sys.stdout.flush()
    print("memsift: " + sentence.rstrip("."), file=sys.stderr)
    return 1


def _parser(first: list[str]) -> argparse.ArgumentParser:
    """For one command, if the first argument names it: then no other is loaded."""
    parser = argparse.ArgumentParser(prog="python3 -m memsift", description=memsift.__doc__)
    parser.add_argument("--version", action="version", version="memsift %s" % memsift.__version__)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    names = commands.names()
    for command in map(commands.load, first if first and first[0] in names else names):
        subparser = subparsers.add_parser(command.NAME, help=command.HELP)
        subparser.set_defaults(run=command.run)
        command.add_arguments(subparser)
    return parser


def _leave(signal_number: int, _: object) -> None:
    """Unwind, so that temporary folders go."""
    sys.exit(128 + signal_number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
