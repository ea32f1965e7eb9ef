"""A first draft of the card, made of what the repository says of itself: README, manifests and git. No network."""

from __future__ import annotations

import json
import os
import re
import subprocess

from memsift import files
from memsift.excerpt import one_line
from memsift.redact import redact

MOST_LINES = 50
_READMES = ("README.md", "README.rst", "README.txt", "README")
_LONGEST_LINE = 160
_MOST_README_LINES = 8
_MOST_FOLDERS = 10
_MOST_COMMITS = 5
_MOST_SCRIPTS = 6
_GIT_SECONDS = 2.0
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|<[^>]*>|^\s*[=\-~*_]{3,}\s*$|\[!\[.*")
# A manifest, and what it says the project is made with.
MANIFESTS = {"pyproject.toml": "Python", "setup.py": "Python", "requirements.txt": "Python",
             "package.json": "JavaScript", "tsconfig.json": "TypeScript", "Cargo.toml": "Rust", "go.mod": "Go",
             "pom.xml": "Java", "build.gradle": "Java", "build.gradle.kts": "Kotlin", "Gemfile": "Ruby",
             "composer.json": "PHP", "mix.exs": "Elixir", "Package.swift": "Swift", "pubspec.yaml": "Dart",
             "CMakeLists.txt": "C or C++", "Dockerfile": "Docker"}
_ALSO = {"JavaScript": ("node", "npm", "typescript", "js"), "TypeScript": ("ts",), "C or C++": ("c++", "cmake", " c "),
         "Java": ("gradle", "maven"), "Docker": ("container",), "Go": ("golang",)}
_TELLING = re.compile(
    r'"(?:react|vue|svelte|next|express|fastify|vite|jest|vitest|electron)"'
    r'|(?<![\w-])(?:django|flask|fastapi|sqlalchemy|pytest|celery|pydantic|tokio|axum|actix-web|serde|rails|laravel'
    r'|spring-boot)(?![\w-])', re.IGNORECASE)
_NOT_TOLD = ("node_modules", "dist", "build", "target", "venv", "vendor", "__pycache__")
_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)+/?|[\w-]+\.[A-Za-z]{1,5})`")


def propose(root: str) -> str:
    """A card of fewer than 50 lines, without secrets."""
    title, about = _readme(root)
    title = title or os.path.basename(root)
    parts = [["# " + title]]
    parts.append(["", *(about or ["(Say here in two or three sentences what %s is and for whom.)" % title])])
    made = _made_with(root)
    parts.append(["", "## Made with", *made] if made else [])
    folders = _folders(root)
    parts.append(["", "## Where things are", *folders] if folders else [])
    commits = git(root, "log", "-%d" % _MOST_COMMITS, "--no-merges", "--format=%s").splitlines()
    parts.append(["", "## Worked on lately", *("- " + _short(subject) for subject in commits)] if commits else [])
    lines = [line for part in parts for line in part]
    return redact("\n".join(lines[:MOST_LINES - 1])) + "\n"


def missing_paths(root: str, text: str) -> list[str]:
    """The paths and file names in backticks that are nowhere in the repository, as far as git knows its files."""
    named = list(dict.fromkeys(_PATH.findall(text)))
    absent = [name for name in named if not os.path.exists(os.path.join(root, name))]
    if not absent:
        return []
    known = git(root, "ls-files", "-z").split("\0")
    names = {os.path.basename(path) for path in known}
    return [name for name in absent if "/" in name or known != [""] and name not in names] if known != [""] else []


def unmentioned(root: str, text: str) -> list[tuple[str, str]]:
    """What the project is made with and its card does not say: (the language, its manifest)."""
    lower = " %s " % text.lower()
    found = {}
    for manifest, language in MANIFESTS.items():
        words = (language.lower(), manifest.lower()) + _ALSO.get(language, ())
        if os.path.isfile(os.path.join(root, manifest)) and not any(word in lower for word in words):
            found.setdefault(language, manifest)
    return list(found.items())


def commits_since(root: str, moment: float) -> int:
    """How many commits the branch has since a time; 0 where git cannot tell."""
    said = git(root, "rev-list", "--count", "--since=%d" % moment, "HEAD").strip()
    return int(said) if said.isdigit() else 0


def git(root: str, *arguments: str) -> str:
    """What git prints, "" where it fails, is slow or is not there. Apart from whatever git command runs around us."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        done = subprocess.run(["git", "-C", root, "-c", "core.fsmonitor=false", *arguments], env=environment,
                              check=False, timeout=_GIT_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _read(root: str, name: str) -> str:
    try:
        return files.read_text(os.path.join(root, name))
    except OSError:
        return ""


def _readme(root: str) -> tuple[str, list[str]]:
    """The title, and the first paragraph or two."""
    text = next(filter(None, (_read(root, name) for name in _READMES)), "")
    title, about = "", []
    for line in text.splitlines():
        line = _MARKUP.sub("", line).strip()
        if line.startswith("#"):
            if title and about:
                break
            title = title or line.lstrip("# ").strip()
        elif line and not line.startswith(("```", "|", ">", "..", "    ")):
            about.append(_short(line))
        if len(about) >= _MOST_README_LINES:
            break
    return _short(title), about


def _made_with(root: str) -> list[str]:
    lines = []
    for manifest, language in MANIFESTS.items():
        text = _read(root, manifest)
        if text:
            telling = sorted({found.strip('"').lower() for found in _TELLING.findall(text)})
            lines.append("- %s (`%s`)%s" % (language, manifest, ": " + ", ".join(telling) if telling else ""))
    scripts = _scripts(root)
    return lines + (["- Commands: %s" % scripts] if scripts else [])


def _scripts(root: str) -> str:
    try:
        scripts = json.loads(_read(root, "package.json") or "{}").get("scripts")
    except (ValueError, AttributeError):
        return ""
    names = list(scripts)[:_MOST_SCRIPTS] if isinstance(scripts, dict) else []
    return ", ".join("`npm run %s`" % one_line(name) for name in names)


def _folders(root: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name)))
    except OSError:
        return []
    return ["- `%s/`" % name for name in names if not name.startswith(".") and name not in _NOT_TOLD][:_MOST_FOLDERS]


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE - 1].rpartition(" ")[0] + "…"
