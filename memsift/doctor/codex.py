"""Codex: whether the plugin is installed and its hooks are trusted, which version runs, and when the hooks last did.

Files as version 0.171.0 writes them. Hooks that are not trusted are skipped there without a word.
"""

from __future__ import annotations

import json
import os

import memsift
from memsift import files
from memsift import tail
from memsift.doctor import hooks
from memsift.doctor import toml_lines
from memsift.doctor.case import Case
from memsift.doctor.case import number
from memsift.doctor.configuration import codex_home
from memsift.doctor.finding import Section
from memsift.spawn import ROOT

TESTED = (0,)
TESTED_VERSION = "0.171.0"
HOST = "codex"
_FILE = "hooks/codex.json"
_TRUST = "Start codex, type /hooks, and trust those of memsift (t)."
_MOST_ROLLOUTS = 40


def examine(case: Case) -> Section:
    """Nothing to say where Codex was never used on this machine."""
    section = Section("Codex")
    path = os.path.join(codex_home(case), "config.toml")
    if not os.path.exists(path):
        section.say("installed", "not found")
        return section
    try:
        config = toml_lines.parse(files.read_text(os.path.realpath(path)))
    except (OSError, ValueError) as error:
        section.find("%s cannot be read: %s." % (path, error), "Whether Codex trusts the hooks is not known.",
                     "Correct that file; codex names the line when it starts.")
        return section
    names = [name for name in _table(config, "plugins") if name.partition("@")[0] == "memsift"]
    if not names:
        section.say("plugin", "not installed")
        return section
    _look_at_switches(names, config, section)
    for name in names:
        _look_at_copy(name, case, section)
        _look_at_trust(name, config, section)
        _look_for_changes(name, path, case, section)
    since = max(hooks.newest(os.path.join(codex_home(case), "plugins", "cache", name.partition("@")[2], "memsift"), "")
                for name in names)
    hooks.examine(HOST, newest_rollout(case), since, case, section)
    hooks.compare_version("Codex", hooks.version(case, HOST), TESTED, TESTED_VERSION, section)
    return section


def plugins(case: Case) -> list[str]:
    """The plugins that are switched on in Codex: "name@marketplace"."""
    try:
        config = toml_lines.parse(files.read_text(os.path.realpath(os.path.join(codex_home(case), "config.toml"))))
    except (OSError, ValueError):
        return []
    return [name for name, facts in _table(config, "plugins").items()
            if not (isinstance(facts, dict) and facts.get("enabled") is False)]


def _table(config: dict, *names: str) -> dict:
    for name in names:
        config = config.get(name) if isinstance(config, dict) else None
    return config if isinstance(config, dict) else {}


def _look_at_switches(names: list[str], config: dict, section: Section) -> None:
    if _table(config, "features").get("hooks") is False:
        section.find("Hooks are switched off in Codex ([features] hooks = false in config.toml).",
                     "memsift sees no prompt there.", "Remove that line.")
    for name in names:
        if _table(config, "plugins", name).get("enabled") is False:
            section.find("The plugin is switched off in Codex.", "Its hooks do not run there.",
                         "Set enabled = true below [plugins.\"%s\"] in config.toml." % name)
    if len(names) > 1:
        section.find("memsift is installed %d times in Codex." % len(names), "Each copy's hooks run at every prompt.",
                     "Remove all but one: `codex plugin remove %s`" % names[-1])


def _look_at_copy(name: str, case: Case, section: Section) -> None:
    plugin, _, marketplace = name.partition("@")
    folder = os.path.join(codex_home(case), "plugins", "cache", marketplace, plugin)
    versions = files.names(folder)
    section.say("plugin", "%s %s" % (name, ", ".join(versions) or "(no copy found)"))
    if not versions:
        section.find("Codex's copy of the plugin is gone: %s." % folder, "Its hooks do not run.",
                     "`codex plugin add %s`" % name)
    elif memsift.__version__ not in versions and "local" not in versions:
        hooks.compare_copies("Codex", versions[-1], memsift.__version__,
                             "`codex plugin marketplace upgrade %s`" % marketplace, section)


def _look_at_trust(name: str, config: dict, section: Section) -> None:
    """Compare what the user trusted with the hooks that memsift has."""
    states = {key: facts for key, facts in _table(config, "hooks", "state").items()
              if key.startswith(name + ":") and isinstance(facts, dict)}
    wanted = _hook_keys(name)
    trusted = [key for key in wanted if states.get(key, {}).get("trusted_hash")]
    off = [key for key in wanted if states.get(key, {}).get("enabled") is False]
    section.say("trusted hooks", "%d of %d" % (len(trusted), len(wanted)))
    if len(trusted) < len(wanted):
        missing = [key.split(":")[2] for key in wanted if key not in trusted]
        untrusted = (len(missing), len(wanted), ", ".join(missing))
        section.find("Codex does not trust %d of memsift's %d hooks (%s)." % untrusted,
                     "Hooks that are not trusted are skipped without a word.", _TRUST)
    if off:
        section.find("Hooks of memsift's are switched off in Codex (%s)." % ", ".join(key.split(":")[2] for key in off),
                     "They do not run.", "Start codex, type /hooks, and switch them on (space).")
    if len({states[key].get("trusted_content_hash") for key in trusted}) > 1:
        section.find("Codex trusts some of memsift's hooks in an older state of the plugin only.",
                     "After an update, hooks that were not looked at again are skipped without a word.", _TRUST)


def _look_for_changes(name: str, config_path: str, case: Case, section: Section) -> None:
    """Find files of the trusted copy that came or changed after Codex last wrote down what it trusts."""
    plugin, _, marketplace = name.partition("@")
    trusted = files.written(config_path) or 0.0
    last = max((number(facts.get("seen")) for facts in hooks.sessions(case, HOST)), default=0.0)
    changed = [path for path in _bundle(os.path.join(codex_home(case), "plugins", "cache", marketplace, plugin))
               if os.lstat(path).st_ctime > max(trusted, last) + 1]
    if changed:
        section.find("Files of Codex's copy of the plugin changed after its hooks were trusted (%s)." % changed[0],
                     "Codex trusts the whole folder or nothing of it, and skips the hooks without a word.",
                     "If you did not mean to change it: `codex plugin add %s`. %s" % (name, _TRUST))


def _bundle(root: str) -> list[str]:
    """The files that Codex takes into account."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each != "__pycache__"]
        found += [os.path.join(folder, each) for each in names if not each.endswith(".pyc")]
    return found


def _hook_keys(name: str) -> list[str]:
    """The names under which Codex keeps whether it trusts a hook: plugin:file:event:group:handler."""
    with open(os.path.join(ROOT, _FILE), encoding="utf-8") as file:
        events = json.load(file)["hooks"]
    return ["%s:%s:%s:%d:%d" % (name, _FILE, _snake(event), group, handler) for event, groups in events.items()
            for group, each in enumerate(groups) for handler in range(len(each["hooks"]))]


def _snake(event: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in event).lstrip("_")


def newest_rollout(case: Case) -> float:
    """When this project was last worked on in Codex; 0 where never, as far as the newest rollouts tell."""
    if not case.project:
        return 0.0
    looked = 0
    for path in _rollouts(os.path.join(codex_home(case), "sessions")):
        looked += 1
        if looked > _MOST_ROLLOUTS:
            return 0.0
        if _folder(path).startswith(case.project.root):
            return files.written(path) or 0.0
    return 0.0


def _rollouts(root: str):
    """Every rollout, the newest day first."""
    for folder, folders, names in os.walk(root):
        folders.sort(reverse=True)
        paths = [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]
        yield from sorted(paths, key=lambda path: -(files.written(path) or 0.0))


def _folder(path: str) -> str:
    """The folder that a session was started in, from the first line of its rollout."""
    try:
        line = next(tail.lines_forwards(path), b"")
        payload = json.loads(line.decode("utf-8", "replace"), strict=False).get("payload")
        return str(payload.get("cwd", "")) if isinstance(payload, dict) else ""
    except (OSError, ValueError, AttributeError):
        return ""
