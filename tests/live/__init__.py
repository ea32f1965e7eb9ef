"""Live tests: the real Claude Code and Codex programs against scripted model servers on loopback.

They run only with MEMSIFT_LIVE=1; `python3 -m tests.live.programs` installs the two programs first.
"""
