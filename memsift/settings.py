"""What the user can set: one table, read from the environment and then from ~/.cognee/.env.

docs/SPEC.md lists the same table; a test keeps the two together. The file is the one that the Cognee plugin reads as
well; of its variables only those that the table names are looked at, and the file's other contents are forgotten.
"""

from __future__ import annotations

import os

from memsift import files


class Setting:
    """One variable: its default, its bounds for a number, its words for a choice or its beginnings for a text, and its
    meaning.

    `others`: variables of the Cognee plugin that count where this one is not set, the first one that is not empty.
    """

    __slots__ = ("name", "default", "low", "high", "words", "starts", "meaning", "others")

    def __init__(self, name: str, default: object, meaning: str, low: float | None = None, high: float | None = None,
                 words: tuple[str, ...] = (), starts: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> None:
        self.name = name
        self.default = default
        self.low = low
        self.high = high
        self.words = words
        self.starts = starts
        self.meaning = meaning
        self.others = others

    def read(self, text: str) -> object:
        """The value that `text` stands for. Raises ValueError with a sentence for the user."""
        text = text.strip()
        if self.words:
            if text.lower() not in self.words:
                raise ValueError("must be one of: %s" % ", ".join(self.words))
            return text.lower()
        if isinstance(self.default, bool):
            return _read_switch(text)
        if isinstance(self.default, str):
            return self._read_text(text)
        return self._read_number(text)

    def _read_text(self, text: str) -> str:
        if not text.isprintable():
            raise ValueError("must be one line of printable characters")
        if self.name == "MEMSIFT_COGNEE_URL":
            return _read_address(text)
        if self.starts and not text.startswith(self.starts):
            raise ValueError("must begin with %s" % " or ".join(self.starts))
        return text

    def _read_number(self, text: str) -> object:
        kind = type(self.default)
        try:
            value = kind(text)
        except ValueError:
            raise ValueError("must be a number") from None
        if not self.low <= value <= self.high:  # also refuses nan, which compares false
            raise ValueError("must be between %s and %s" % (self.low, self.high))
        return value


def _read_switch(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("", "0", "false", "no", "off"):
        return False
    raise ValueError("must be 1 or 0")


def _read_address(text: str) -> str:
    """A server's address without a closing slash; with http:// on this machine and in its network, else https://."""
    if not text:
        return ""
    if "://" not in text:
        host = text.partition("/")[0].rpartition(":")[0] or text.partition("/")[0]
        near = "." not in host or host.startswith(("127.", "10.", "192.168.", "0.0.0.0"))
        text = ("http://" if near else "https://") + text
    if not text.lower().startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    text = text.rstrip("/")
    return text[:-len("/api/v1")] if text.endswith("/api/v1") else text


def same_address(text: str, address: str) -> bool:
    """Whether `text`, written by somebody else, means this address of a server."""
    try:
        return _read_address(text.strip()).lower() == address.lower() != ""
    except ValueError:
        return False


_PLUGIN_URLS = ("COGNEE_LOCAL_API_URL", "COGNEE_BASE_URL", "COGNEE_SERVICE_URL")  # in the order of the plugin
_NOT_IN_LOCAL_MODE = ("COGNEE_BASE_URL", "COGNEE_SERVICE_URL", "COGNEE_API_KEY")
_BACKENDS = ("COGNEE_BACKEND", "COGNEE_CLAUDE_BACKEND", "COGNEE_CODEX_BACKEND")
_LOCAL_BACKENDS = ("local", "native", "sdk")

TABLE = (
    Setting("MEMSIFT_DEBUG", False, "write every decision to debug.log, not only errors"),
    Setting("MEMSIFT_SORTER", "auto", "what judges: Jev, the embedded sorter, or nothing (then every hook ends at "
            "once, and nothing is written); auto is Jev where its key or URL is set", words=("auto", "jev", "local", "off")),
    Setting("MEMSIFT_JEV_URL", "https://openrouter.ai/api/alpha/decisions", "complete address of the judge: "
            "OpenRouter's, TypeSafe's, or any server of the System One format", starts=("http://", "https://")),
    Setting("MEMSIFT_JEV_KEY", "", "key for that address; without one no key is sent"),
    Setting("MEMSIFT_JEV_MODEL", "typesafe/jev-1.13", "model to ask for"),
    Setting("MEMSIFT_JEV_DENY_COLLECTION", False, "ask OpenRouter for providers that keep no data; where none is "
            "left, it refuses the request"),
    Setting("MEMSIFT_COMPACTOR_URL", "https://openrouter.ai/api/v1/chat/completions", "complete address of the chat "
            "model that tidies the notes: any endpoint that is compatible with OpenAI's", starts=("http://", "https://")),
    Setting("MEMSIFT_COMPACTOR_KEY", "", "key for that address; without a key and an address of yours no model is asked"),
    Setting("MEMSIFT_COMPACTOR_MODEL", "anthropic/claude-haiku-4.5", "model to ask for"),
    Setting("MEMSIFT_GRACE_SECONDS", 60, "how long after a session's end its notes are compacted, unless it goes on; "
            "from 500 on, that is left to the next session", low=0, high=86_400),
    Setting("MEMSIFT_FALLBACK", True, "let the embedded sorter judge a prompt when Jev is late, failing or paused"),
    Setting("MEMSIFT_RECORD", False, "keep requests to Jev and its answers, redacted, in recordings/"),
    Setting("MEMSIFT_COGNEE_URL", "", "address of a Cognee server, the long-term memory; empty means none",
            others=_PLUGIN_URLS),
    Setting("MEMSIFT_COGNEE_KEY", "", "key for that server", others=("COGNEE_API_KEY",)),
    Setting("COGNEE_PLUGIN_DATASET", "agent_sessions", "dataset where the Cognee plugin keeps raw transcripts; it is "
            "proposed switched off"),
    Setting("SSL_CERT_FILE", "", "file with the certificates to trust, for a server with a private authority"),
    Setting("MEMSIFT_MAX_NOTES", 3, "notes added to one prompt at most", low=1, high=20),
    Setting("MEMSIFT_MAX_CHARACTERS", 1500, "characters added to one prompt at most", low=200, high=9000),
    Setting("MEMSIFT_ADD_THRESHOLD", 0.0, "score from which a note is added; 0 takes the sorter's own; lower finds "
            "more and adds more for nothing", low=0.0, high=1.0),
    Setting("MEMSIFT_KEEP_THRESHOLD", 0.0, "probability from which a turn is kept; 0 takes the sorter's own",
            low=0.0, high=1.0),
)


class Settings:
    """The values in force, where each came from, and what was wrong with the refused ones."""

    def __init__(self, environment: dict[str, str] | None = None, env_file: str | None = None) -> None:
        environment = dict(os.environ) if environment is None else environment
        self.problems: list[str] = []
        self.sources: dict[str, str] = {}
        self._values: dict[str, object] = {}
        path = env_file or env_file_of(environment)
        self._environment = environment
        self._file = self._read_file(path)
        self._path = path
        self._backend = self._plugin_backend()
        for setting in TABLE:
            self._values[setting.name] = self._settle(setting)
        self._check_cognee()
        del self._environment, self._file  # whatever else they hold is none of memsift's business
        if self["MEMSIFT_SORTER"] == "jev" and not self.has_jev:
            self.problems.append("MEMSIFT_SORTER is jev, but neither MEMSIFT_JEV_KEY nor MEMSIFT_JEV_URL is set; using local")

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    @property
    def sorter(self) -> str:
        """"jev", "local" or "off". Jev is never called without a key or an address that the user has set."""
        chosen = str(self["MEMSIFT_SORTER"])
        if chosen in ("auto", "jev"):
            return "jev" if self.has_jev else "local"
        return chosen

    @property
    def has_jev(self) -> bool:
        """Whether the user has set a judge."""
        return self._is_chosen("JEV")

    @property
    def has_compactor(self) -> bool:
        """Whether the user wants a model to tidy the notes. No other service's key is ever used for it."""
        return self._is_chosen("COMPACTOR")

    def _is_chosen(self, service: str) -> bool:
        """Whether a service with a default address is to be called: its key or another address is set."""
        return bool(self["MEMSIFT_%s_KEY" % service]) or "MEMSIFT_%s_URL" % service in self.sources

    def _read_file(self, path: str) -> dict[str, tuple[str, int]]:
        try:
            return read_env(path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            self.problems.append("%s cannot be read: %s" % (path, error.strerror or error))
            return {}

    def _find(self, name: str) -> tuple[str, str] | None:
        """What a variable is set to, and where: "environment" or "<file>:<line>"."""
        if name in self._environment:
            return self._environment[name], "environment"
        if name in self._file:
            text, line = self._file[name]
            return text, "%s:%d" % (self._path, line)
        return None

    def _find_filled(self, name: str) -> tuple[str, str] | None:
        found = self._find(name)
        return found if found and found[0].strip() else None

    def _counts(self, other: str) -> bool:
        """Whether a variable of the plugin counts: none that the plugin ignores, and no key of another server."""
        if self._backend and other in _NOT_IN_LOCAL_MODE:
            return False
        own = self._find("MEMSIFT_COGNEE_URL") if other == "COGNEE_API_KEY" else None
        theirs = next(filter(None, map(self._find_filled, _PLUGIN_URLS)), None) if own else None
        return theirs is None or same_address(theirs[0], str(self["MEMSIFT_COGNEE_URL"]))

    def _settle(self, setting: Setting) -> object:
        name, found = setting.name, self._find(setting.name)
        for other in setting.others:
            if found is None and self._counts(other):
                name, found = other, self._find_filled(other)
        if found is None:
            return setting.default
        text, source = found
        try:
            value = setting.read(text)
        except ValueError as error:
            used = setting.default if setting.default != "" else "nothing"
            self.problems.append("%s (%s) %s; using %s" % (name, source, error, used))
            return setting.default
        self.sources[setting.name] = source if name == setting.name else "%s in %s" % (name, source)
        return value

    def _plugin_backend(self) -> str:
        """The variable that keeps the Cognee plugin to this machine, "" where none does."""
        for name in _BACKENDS:
            found = self._find_filled(name)
            if found and found[0].strip().lower() in _LOCAL_BACKENDS:
                return name
        return ""

    def _check_cognee(self) -> None:
        """Name what the user of the Cognee plugin has set and memsift does not follow."""
        ignored = [name for name in _NOT_IN_LOCAL_MODE if self._backend and self._find_filled(name)]
        if ignored and not self["MEMSIFT_COGNEE_URL"]:
            self.problems.append("%s keeps Cognee to this machine, so memsift does not use %s; set MEMSIFT_COGNEE_URL "
                                 "for a server" % (self._backend, " and ".join(ignored)))
        if self["MEMSIFT_COGNEE_KEY"] and not self["MEMSIFT_COGNEE_URL"] and "MEMSIFT_COGNEE_URL" not in self.sources:
            self.problems.append("there is a key for Cognee (%s), but no address of a server, so none is called; set "
                                 "MEMSIFT_COGNEE_URL" % self.sources["MEMSIFT_COGNEE_KEY"])


def env_file_of(environment: dict[str, str]) -> str:
    """The file of settings that is read with these variables."""
    user_home = environment.get("HOME", "")
    return environment.get("COGNEE_ENV_FILE") or os.path.join(user_home if os.path.isabs(user_home) else "/nonexistent", ".cognee", ".env")


def read_env(path: str) -> dict[str, tuple[str, int]]:
    """What parse_env finds in a file. Raises OSError."""
    return parse_env(_decode(files.read_bytes(os.path.realpath(path), 1_000_000)))


def _decode(raw: bytes) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return raw.decode(encoding, "replace")


def parse_env(text: str) -> dict[str, tuple[str, int]]:
    """Values and their lines, counted from 1, of KEY=VALUE lines as the Cognee plugin reads them: `export ` and one
    pair of quotes are dropped, the last of two equal names wins, nothing is interpolated, other lines are skipped."""
    values = {}
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        name, equals, value = line.strip().partition("=")
        name = name.strip()
        if name.startswith("export "):
            name = name[len("export "):].strip()
        if not equals or not name or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        values[name] = value, number
    return values
