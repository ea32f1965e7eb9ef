"""The settings: which value came from where, which were refused, and which stand where nothing reads them."""

from __future__ import annotations

import difflib
import os
import stat
from shlex import quote

from memsift.doctor.case import Case
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section
from memsift.settings import TABLE
from memsift.settings import env_file_of
from memsift.settings import read_env

_NAMES = [setting.name for setting in TABLE]
_ALSO_READ = ("MEMSIFT_HOME", "MEMSIFT_INSIDE", "MEMSIFT_LIVE", "MEMSIFT_LIVE_CACHE")
# Where people put such variables, and memsift does not look.
_NOT_READ = (".env", ".memsift/.env", ".config/memsift/.env", ".cognee-plugin/.env", ".claude/.env", ".codex/.env")


def examine(case: Case) -> Section:
    """Values with file and line; a key is only ever present or absent."""
    section = Section("settings")
    settings = case.settings
    for setting in TABLE:
        if setting.name in settings.sources:
            section.say(setting.name,
                        "%s (%s)" % (_shown(setting.name, settings[setting.name]), settings.sources[setting.name]))
    if not settings.sources:
        section.say("all", "defaults")
    section.say("file", env_file_of(case.environment) + ("" if os.path.exists(env_file_of(case.environment)) else " (not there, which is fine)"))
    for problem in settings.problems:
        section.find(problem, "Until then memsift works as if that line were not there.",
                     "Correct the value there. docs/SPEC.md lists every setting with its bounds.")
    if str(settings["MEMSIFT_SORTER"]) == "off":
        section.find("MEMSIFT_SORTER is off (%s)." % settings.sources.get("MEMSIFT_SORTER", "default"),
                     "Every hook ends at once: nothing is added, and nothing is kept.",
                     "Remove that line, or set it to auto.")
    _look_at_file(case, section)
    _look_for_strays(case, section)
    return section


def _shown(name: str, value: object) -> str:
    if name.endswith("_KEY"):
        return "present" if value else "empty"
    return "1" if value is True else "0" if value is False else str(value) or "empty"


def _read(path: str) -> dict[str, tuple[str, int]]:
    try:
        return read_env(path)
    except OSError:
        return {}


def _look_at_file(case: Case, section: Section) -> None:
    path = env_file_of(case.environment)
    if case.environment.get("COGNEE_ENV_FILE") and not os.path.exists(path):
        section.find("COGNEE_ENV_FILE names %s, which does not exist." % path,
                     "No setting is read from a file, and ~/.cognee/.env is not looked at.",
                     "Correct that variable, or unset it.")
    values = _read(path)
    for name, (_, line) in values.items():
        _look_at_name(name, "%s:%d" % (path, line), section)
    has_key = any(name.endswith("_KEY") and value for name, (value, _) in values.items())
    mode = os.stat(path).st_mode if os.path.exists(path) else 0
    if has_key and mode & (stat.S_IRGRP | stat.S_IROTH):
        section.find("Others on this machine can read %s, which holds a key." % path,
                     "Whoever reads the key can spend your money with it.", "`chmod 600 %s`" % quote(path))
    for name in sorted(set(case.environment) - set(values)):
        _look_at_name(name, "environment", section)


def _look_at_name(name: str, place: str, section: Section) -> None:
    """A variable that begins like memsift's and is none."""
    if not name.startswith("MEMSIFT_") or name in _NAMES or name in _ALSO_READ:
        return
    close = difflib.get_close_matches(name, _NAMES, 1)
    section.find("%s (%s) is no setting of memsift's." % (name, place), "Nothing reads it.",
                 "Write %s instead." % close[0] if close else "Remove it; docs/SPEC.md lists the settings.")


def _look_for_strays(case: Case, section: Section) -> None:
    """Settings in a file that is not read, or in an environment that one of the hosts does not pass on."""
    roots = [case.user_home] if os.path.isabs(case.user_home) else []
    paths = [os.path.join(root, name) for root in roots for name in _NOT_READ] + [case.path(".env")]
    paths += [os.path.join(case.project.root, ".env")] if case.project else []
    read = os.path.realpath(env_file_of(case.environment))
    for path in dict.fromkeys(paths):
        for name, (_, line) in (_read(path).items() if os.path.realpath(path) != read else ()):
            if name in _NAMES and name.startswith("MEMSIFT_"):
                section.find("%s stands in %s:%d, where memsift does not look." % (name, path, line),
                             "It has no effect there.", "Move that line to %s." % env_file_of(case.environment))
    only_here = [name for name, source in case.settings.sources.items()
                 if source == "environment" and name.endswith(("_KEY", "_URL"))]
    if only_here and not case.host and os.path.exists(os.path.join(codex_home(case), "config.toml")):
        section.find("%s set only in the environment of this shell." % _are(only_here),
                     "Codex runs hooks in a background process with the environment that it was started with, and may "
                     "not see them.", "Put them into %s, which both hosts read." % env_file_of(case.environment), ADVICE)


def _are(names: list[str]) -> str:
    return "%s %s" % (", ".join(names), "is" if len(names) == 1 else "are")


def codex_home(case: Case) -> str:
    """Where Codex keeps its files."""
    return case.environment.get("CODEX_HOME") or os.path.join(case.user_home, ".codex")
