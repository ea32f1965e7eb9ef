"""Claude Code: whether the plugin is installed and switched on there, which version runs, and when its hooks last did.

Files as version 2.1.332 writes them.
"""

from __future__ import annotations

import os

import memsift
from memsift.doctor import hooks
from memsift.doctor.case import Case
from memsift.doctor.finding import Section

TESTED = (2, 1)
TESTED_VERSION = "2.1.332"
HOST = "claude-code"


def examine(case: Case) -> Section:
    """Nothing to say where Claude Code was never used on this machine."""
    section = Section("Claude Code")
    folder = config_folder(case)
    if not os.path.isdir(folder):
        section.say("installed", "not found")
        return section
    settings = read_settings(case)
    copies = [(name, copy) for name, copies in installed(case).items() if name.partition("@")[0] == "memsift"
              for copy in copies]
    if not copies:
        section.say("plugin",
                    "not installed" if not hooks.sessions(case, HOST) else "not installed through a marketplace")
        if not hooks.sessions(case, HOST):
            return section
    for name, copy in copies:
        section.say("plugin", "%s %s, in %s" % (name, copy.get("version", "?"), copy.get("installPath", "?")))
        _look_at_copy(name, copy, settings, section)
    if len({name for name, _ in copies}) > 1:
        section.find("memsift is installed %d times in Claude Code." % len(copies),
                     "Each copy's hooks run at every prompt.",
                     "Remove all but one: `claude plugin uninstall NAME` (the names are above).")
    closed = [path for path, found in settings.items() if found.get("disableAllHooks") is True]
    if closed:
        section.find("disableAllHooks is set in Claude Code's settings.", "No hook runs, so memsift sees no prompt.",
                     "Remove it from %s." % closed[0])
    since = max((installed_at(copy) for _, copy in copies), default=0.0)
    hooks.examine(HOST, newest_transcript(case), since, case, section)
    hooks.compare_version("Claude Code", hooks.version(case, HOST), TESTED, TESTED_VERSION, section)
    return section


def config_folder(case: Case) -> str:
    """Where Claude Code keeps its files."""
    return case.environment.get("CLAUDE_CONFIG_DIR") or os.path.join(case.user_home, ".claude")


def read_settings(case: Case) -> dict[str, dict]:
    """The settings that apply here, by file: the user's, then the project's."""
    paths = [os.path.join(config_folder(case), "settings.json")]
    if case.project:
        paths += [os.path.join(case.project.root, ".claude", name) for name in ("settings.json", "settings.local.json")]
    return {path: case.json(path) for path in paths}


def installed(case: Case) -> dict[str, list[dict]]:
    """Every installed plugin: "name@marketplace", and where it is."""
    plugins = case.json(os.path.join(config_folder(case), "plugins", "installed_plugins.json")).get("plugins")
    if not isinstance(plugins, dict):
        return {}
    return {name: [copy for copy in (copies if isinstance(copies, list) else [copies]) if isinstance(copy, dict)]
            for name, copies in plugins.items()}


def is_enabled(name: str, settings: dict[str, dict]) -> bool:
    """Whether a plugin is switched on; the project's settings overrule the user's."""
    switches = [found["enabledPlugins"].get(name) for found in settings.values()
                if isinstance(found.get("enabledPlugins"), dict)]
    said = [switch for switch in switches if isinstance(switch, bool)]
    return said[-1] if said else True


def _look_at_copy(name: str, copy: dict, settings: dict[str, dict], section: Section) -> None:
    path = str(copy.get("installPath", ""))
    if not is_enabled(name, settings):
        section.find("The plugin is switched off in Claude Code.", "Its hooks do not run there.",
                     "`claude plugin enable %s`" % name)
    if path and not os.path.exists(os.path.join(path, "hooks", "claude_code.py")):
        section.find("Claude Code's copy of the plugin is gone: %s." % path, "Its hooks end at once, without a word.",
                     "`claude plugin uninstall %s`, then `claude plugin install %s`." % (name, name))
    hooks.compare_copies("Claude Code", str(copy.get("version", "")), memsift.__version__,
                         "`claude plugin marketplace update memsift && claude plugin update %s`" % name, section)


def installed_at(copy: dict) -> float:
    """When a copy of the plugin came here; 0 where it is not known."""
    try:
        return os.stat(os.path.join(str(copy.get("installPath", "")), "hooks")).st_ctime
    except OSError:
        return 0.0


def newest_transcript(case: Case) -> float:
    """When this project was last worked on in Claude Code; 0 where never."""
    if not case.project:
        return 0.0
    name = "".join(character if character.isascii() and character.isalnum() else "-" for character in case.project.root)
    return hooks.newest(os.path.join(config_folder(case), "projects", name), ".jsonl")
