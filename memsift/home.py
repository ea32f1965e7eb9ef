"""Where memsift keeps its files: the layout of MEMSIFT_HOME and nothing else."""

from __future__ import annotations

import os

from memsift import files

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_LONGEST_NAME = 100


class NoHome(Exception):
    """There is no folder to keep anything in; the message says why and what to do."""


def locate(environment: dict[str, str] | None = None) -> str:
    """The path of MEMSIFT_HOME, not yet made. Raises NoHome."""
    environment = os.environ if environment is None else environment
    chosen = environment.get("MEMSIFT_HOME", "")
    if chosen:
        if not os.path.isabs(chosen):
            raise NoHome("MEMSIFT_HOME must be an absolute path, not %r" % chosen)
        return os.path.normpath(chosen)
    user_home = environment.get("HOME", "")
    if not os.path.isabs(user_home) or not os.path.isdir(user_home):
        raise NoHome("HOME is %r, which is not a folder: set HOME or MEMSIFT_HOME" % user_home)
    return os.path.join(os.path.normpath(user_home), ".memsift")


def safe_name(name: str) -> str:
    """A host's id as a file name: itself where it is harmless, else a digest of it."""
    # No pattern: compiling one would be a good part of the time of a hook that ends early.
    harmless = name[:1] in _LETTERS and not name.strip(_LETTERS + "._-") and 0 < len(name) <= _LONGEST_NAME
    return name if harmless else "x-" + digest(name)


def digest(text: str, length: int = 16) -> str:
    """Some hexadecimal digits that stand for the text."""
    import hashlib  # not at the top: it costs a hook that ends early more than anything else here
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


class Home:
    """Paths below MEMSIFT_HOME. Folders are made when a path inside them is asked for."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def log(self) -> str:
        return os.path.join(self.root, "debug.log")

    @property
    def state(self) -> str:
        return os.path.join(self.root, "state.json")

    @property
    def datasets(self) -> str:
        return os.path.join(self.root, "datasets.md")

    @property
    def off(self) -> str:
        return os.path.join(self.root, "off")

    @property
    def recordings(self) -> str:
        return os.path.join(files.make_folder(os.path.join(self.root, "recordings")), "jev.jsonl")

    @property
    def sessions(self) -> str:
        return files.make_folder(os.path.join(self.root, "sessions"))

    def session(self, session: str) -> str:
        return os.path.join(self.sessions, safe_name(session) + ".json")

    @property
    def repositories(self) -> str:
        return os.path.join(self.root, "repos")

    def repository(self, name: str) -> str:
        return files.make_folder(os.path.join(self.repositories, safe_name(name)))

    def digest(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "digest.md")

    def draft(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "draft.md")

    def pending(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "pending.jsonl")

    def archive(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "archive.db")

    def outbox(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "outbox")

    def cognee_index(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "cognee-index.json")

    def processing(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "processing.json")

    def replay_lock(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "replay.lock")

    def compaction_lock(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "compaction.lock")

    def compaction(self, repository: str) -> str:
        return os.path.join(self.repository(repository), "compaction.json")
