"""What the user can set: one table, read from the environment and then from ~/.cognee/.env.

docs/SPEC.md lists the same table; a test keeps the two together.
"""

from __future__ import annotations

import os

from memsift import files


class Setting:
    """One variable: its default, its bounds for a number, its words for a choice or its beginnings for a text, and its
    meaning."""

    __slots__ = ("name", "default", "low", "high", "words", "starts", "meaning")

    def __init__(self, name: str, default: object, meaning: str, low: float | None = None, high: float | None = None,
                 words: tuple[str, ...] = (), starts: tuple[str, ...] = ()) -> None:
        self.name = name
        self.default = default
        self.low = low
        self.high = high
        self.words = words
        self.starts = starts
        self.meaning = meaning

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
    Setting("MEMSIFT_FALLBACK", True, "let the embedded sorter judge a prompt when Jev is late, failing or paused"),
    Setting("MEMSIFT_RECORD", False, "keep requests to Jev and its answers, redacted, in recordings/"),
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
        path = env_file or environment.get("COGNEE_ENV_FILE") or _default_env_file(environment)
        from_file = self._read_file(path)
        for setting in TABLE:
            self._values[setting.name] = self._settle(setting, environment, from_file, path)
        if self["MEMSIFT_SORTER"] == "jev" and not self._has_jev():
            self.problems.append("MEMSIFT_SORTER is jev, but neither MEMSIFT_JEV_KEY nor MEMSIFT_JEV_URL is set; using local")

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    @property
    def sorter(self) -> str:
        """"jev", "local" or "off". Jev is never called without a key or an address that the user has set."""
        chosen = str(self["MEMSIFT_SORTER"])
        if chosen in ("auto", "jev"):
            return "jev" if self._has_jev() else "local"
        return chosen

    def _has_jev(self) -> bool:
        return bool(self["MEMSIFT_JEV_KEY"]) or "MEMSIFT_JEV_URL" in self.sources

    def _read_file(self, path: str) -> dict[str, str]:
        try:
            return parse_env(_decode(files.read_bytes(os.path.realpath(path), 1_000_000)))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self.problems.append("%s cannot be read: %s" % (path, error.strerror or error))
            return {}

    def _settle(self, setting: Setting, environment: dict[str, str], from_file: dict[str, str], path: str) -> object:
        for source, values in (("environment", environment), (path, from_file)):
            if setting.name not in values:
                continue
            try:
                value = setting.read(values[setting.name])
            except ValueError as error:
                self.problems.append("%s (%s) %s; using %s" % (setting.name, source, error, setting.default))
                return setting.default
            self.sources[setting.name] = source
            return value
        return setting.default


def _default_env_file(environment: dict[str, str]) -> str:
    user_home = environment.get("HOME", "")
    return os.path.join(user_home if os.path.isabs(user_home) else "/nonexistent", ".cognee", ".env")


def _decode(raw: bytes) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return raw.decode(encoding, "replace")


def parse_env(text: str) -> dict[str, str]:
    """KEY=VALUE lines as the Cognee plugin reads them: `export ` and one pair of quotes are dropped, the last
    of two equal names wins, nothing is interpolated, other lines are skipped."""
    values = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        name = name.strip()
        if name.startswith("export "):
            name = name[len("export "):].strip()
        if not equals or not name or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        values[name] = value
    return values
