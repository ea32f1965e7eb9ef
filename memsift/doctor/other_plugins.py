"""Other memory plugins in the same hosts: two of them add to the same prompt."""

from __future__ import annotations

import json
import os

from memsift.doctor import claude
from memsift.doctor import codex
from memsift.doctor.case import Case
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section

# Plugins that add remembered text to prompts, by the names under which they are installed.
NAMES = ("cognee-memory", "cognee", "claude-mem", "mem0", "openmemory", "supermemory", "claude-supermemory",
         "hindsight", "memsearch", "claude-remember", "mempalace", "basic-memory", "engram", "agentmemory", "ai-memory",
         "episodic-memory", "jevmem", "sieve-memory", "memem", "openviking", "deja-vu", "claude-memory", "mnemon")


def examine(case: Case) -> Section:
    """Every other memory plugin that is switched on, and what one that is gone has left behind."""
    section = Section("other memory plugins")
    found = []
    for host, names, leave in (("Claude Code", _in_claude(case), "`claude plugin disable %s`"),
                               ("Codex", codex.plugins(case), "`codex plugin remove %s`")):
        for name in names:
            if _is_memory(name):
                found.append(name)
                section.find("%s is on in %s as well." % (name, host),
                             "Both add text to every prompt, and the other one does not judge whether it is needed.",
                             "Keep one of the two: %s" % leave % name)
    _look_at_hooks(case, section)
    _look_at_status_line(case, section)
    section.say("found", ", ".join(found) or "none")
    return section


def _in_claude(case: Case) -> list[str]:
    settings = claude.read_settings(case)
    return [name for name in claude.installed(case) if claude.is_enabled(name, settings)]


def _is_memory(name: str) -> bool:
    plugin, _, marketplace = name.partition("@")
    return plugin != "memsift" and (plugin.lower() in NAMES or marketplace.lower() in NAMES)


def _look_at_hooks(case: Case, section: Section) -> None:
    """Hooks that somebody wrote straight into the settings, without a plugin."""
    for path, settings in claude.read_settings(case).items():
        hooks = settings.get("hooks")
        text = json.dumps(hooks.get("UserPromptSubmit")) if isinstance(hooks, dict) else ""
        for name in NAMES:
            if name in text and name not in ("cognee",):
                section.find("%s holds a hook of %s at every prompt." % (path, name),
                             "It adds text beside memsift's.",
                             "Remove it from that file, or keep it and remove memsift.")
                break


def _look_at_status_line(case: Case, section: Section) -> None:
    path = os.path.join(claude.config_folder(case), "settings.json")
    line = case.json(path).get("statusLine")
    command = str(line.get("command", "")) if isinstance(line, dict) else ""
    if "cognee-statusline" in command and not any("cognee" in name for name in claude.installed(case)):
        section.find("The status line of Claude Code still belongs to the Cognee plugin, which is not installed.",
                     "It runs every two seconds and finds nothing.", "Remove statusLine from %s." % path, ADVICE)
