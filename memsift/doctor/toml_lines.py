"""Just enough of TOML for Codex's config.toml, for interpreters that have no tomllib (before 3.11).

Tables with quoted names, and keys whose value is a string, a number or a switch on one line. Anything else is skipped.
"""

from __future__ import annotations

import json
import re

_TABLE = re.compile(r"\s*\[([^\[\]].*)\]\s*(?:#.*)?$")
_PART = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([A-Za-z0-9_-]+))\s*(\.|$)')
_PAIR = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\'[^\']*\'|[A-Za-z0-9_.-]+)\s*=\s*(.+?)\s*$')


def parse(text: str) -> dict:
    """The tables as nested dicts. Raises ValueError for what is no TOML, where the interpreter can tell."""
    try:
        import tomllib
    except ImportError:
        return _parse(text)
    return tomllib.loads(text)


def _parse(text: str) -> dict:
    whole: dict = {}
    table: dict | None = whole
    for line in text.splitlines():
        header = _TABLE.match(line)
        if header:
            table = _descend(whole, _parts(header.group(1)))
            continue
        pair = _PAIR.match(line)
        if pair and table is not None:
            _put(table, _parts(pair.group(1)), _value(pair.group(2)))
    return whole


def _parts(dotted: str) -> list[str]:
    parts, position = [], 0
    while position < len(dotted):
        found = _PART.match(dotted, position)
        if not found:
            return []
        quoted, literal, bare, _ = found.groups()
        parts.append(json.loads('"%s"' % quoted) if quoted is not None else literal if literal is not None else bare)
        position = found.end()
    return parts


def _descend(table: dict, parts: list[str]) -> dict | None:
    for part in parts:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            return None
    return table if parts else None


def _put(table: dict, parts: list[str], value: object) -> None:
    inner = _descend(table, parts[:-1]) if len(parts) > 1 else table
    if parts and inner is not None and value is not None:
        inner[parts[-1]] = value


def _value(text: str) -> object:
    if text[0] == "'":
        return text[1:].partition("'")[0]
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return None
    return value
