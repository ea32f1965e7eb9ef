"""Refuses connections that leave this machine, in this process; as a script, runs another script under that rule."""

import os
import runpy
import sys

_LOCAL = ("127.0.0.1", "::1", "localhost")


def _refuse(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in _LOCAL:
            raise ConnectionRefusedError("a test tried to reach %r" % (address,))
    if event == "socket.getaddrinfo" and arguments[0] not in _LOCAL:
        raise ConnectionRefusedError("a test tried to look up %r" % (arguments[0],))


def refuse_outside():
    """Install the rule; it cannot be taken back in this process."""
    sys.addaudithook(_refuse)


if __name__ == "__main__":
    refuse_outside()
    script = os.path.abspath(sys.argv[1])
    sys.argv = sys.argv[1:]
    runpy.run_path(script, run_name="__main__")
