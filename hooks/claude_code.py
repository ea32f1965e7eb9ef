"""Claude Code calls this with the name of a moment; all the work is in memsift/."""

import gc
import os
import sys

gc.disable()  # the process is gone before there is garbage to collect
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memsift import hook

hook.main("claude-code", sys.argv[1:])
