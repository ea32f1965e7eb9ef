"""Reads the dialogues that were written by hand for training: prompts, answers and labels, but no test of anything.

Each file of tests/dialogues is a project; its first line tells what it is, each other line is a turn:
`s` session, `p` prompt, `a` answer, `did` what was changed, `kind`, `turn`, `fact`, `needs` as in the conversations.
"""
from __future__ import annotations

import json
import os
from zlib import crc32

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dialogues")
_EDITED, _FAILED, _FIXED, _COMMITTED = "edited ", "failed: ", "failed, then worked: ", "committed: "


def read_dialogues():
    """Conversations as those of tests/conversations, by file name."""
    found = {}
    for name in sorted(os.listdir(HERE)):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            found[name] = _conversation([json.loads(line) for line in file][1:])
    return found


def _conversation(turns):
    """The archive of a session holds what only later ones teach: on the subject, and no answer to anything."""
    return {"cognee": [], "sessions": [{
        "id": "s%d" % number, "day": "2026-03-%02d" % (4 * number),
        "turns": [_turn(turn) for turn in turns if turn["s"] == number],
        "archive": [{"id": "later-" + turn["id"], "text": turn["fact"]} for turn in turns
                    if turn["s"] > number and turn.get("fact")],
    } for number in sorted({turn["s"] for turn in turns})]}


def _turn(turn):
    gold = {"kind": turn["kind"], "turn": turn["turn"], "fact": turn.get("fact", ""), "needs": turn.get("needs", []),
            "replaces": ""}
    return {"id": turn["id"], "prompt": turn["p"], "answer": turn["a"], "gold": gold,
            "tools": [tool for change in turn.get("did", []) for tool in _tools(change)]}


def _tools(change):
    if change.startswith(_EDITED):
        return [{"tool": "Edit", "file": change[len(_EDITED):]}]
    if change.startswith(_COMMITTED):
        return [{"tool": "Bash", "command": "git commit: " + change[len(_COMMITTED):], "ok": True}]
    outcomes = (False, True) if change.startswith(_FIXED) else (False,)
    command = change.partition(": ")[2]
    return [{"tool": "Bash", "command": command, "ok": ok} for ok in outcomes]


def checksum(path):
    """CRC-32 of a file, or of the files of a folder one after the other."""
    names = sorted(os.path.join(path, name) for name in os.listdir(path)) if os.path.isdir(path) else [path]
    found = 0
    for name in names:
        with open(name, "rb") as file:
            found = crc32(file.read().replace(b"\r\n", b"\n"), found)
    return found
