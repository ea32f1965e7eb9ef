"""memsift: a project memory for coding agents that adds only what the agent is missing."""

import os
import sys

__version__ = "0.1.0"
# A hook that runs below a worker (a model call of memsift's own) finds this variable and does nothing.
INSIDE = "MEMSIFT_INSIDE"


def _keep_bytecode_out_of_the_plugin() -> None:
    """Send compiled modules to MEMSIFT_HOME, since a changed plugin folder loses the user's trust in Codex.

    Only for a process that asked for no bytecode (the hook scripts do); until the folder exists there is none.
    """
    os.umask(0o077)  # before the first of them is written
    home = os.environ.get("MEMSIFT_HOME") or os.path.expanduser("~/.memsift")
    if os.path.isabs(home) and os.path.isdir(home):
        sys.pycache_prefix = os.path.join(home, "cache")
        sys.dont_write_bytecode = False


if sys.dont_write_bytecode and sys.flags.dont_write_bytecode == 0:
    _keep_bytecode_out_of_the_plugin()
