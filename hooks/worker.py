"""memsift starts this, detached, with the name of a repository whose ended turns wait to be sorted."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memsift import worker

worker.main(sys.argv[1:])
