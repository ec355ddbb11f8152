"""File formats by name: prose, configuration, and scripts compiled from others."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARKDOWN, REST, ASCIIDOC = "markdown", "rest", "asciidoc"
PROSE = frozenset((MARKDOWN, REST, ASCIIDOC))
TOML, INI, ENV, YAML, JSON, DOCKERFILE, MAKEFILE = "toml", "ini", "env", "yaml", "json", "dockerfile", "makefile"

APART = " > "
"""The separator between a file and the headings inside it."""
_BY_SUFFIX = {
    "md": MARKDOWN, "markdown": MARKDOWN, "mdx": MARKDOWN, "rst": REST, "adoc": ASCIIDOC, "asciidoc": ASCIIDOC,
    "toml": TOML, "ini": INI, "cfg": INI, "conf": INI, "properties": ENV, "env": ENV, "yaml": YAML, "yml": YAML,
    "json": JSON, "jsonc": JSON, "mk": MAKEFILE, "dockerfile": DOCKERFILE,
}  # fmt: skip
_BY_NAME = {
    "dockerfile": DOCKERFILE, "containerfile": DOCKERFILE, "makefile": MAKEFILE, "gnumakefile": MAKEFILE,
    "justfile": MAKEFILE, ".editorconfig": INI, ".flake8": INI, ".coveragerc": INI, ".npmrc": ENV,
}  # fmt: skip
_TEXTS = (
    "readme", "install", "contributing", "changes", "changelog", "history", "news", "hacking", "upgrading", "usage",
    "authors", "security",
)  # fmt: skip
"""Names of texts that Inarch reads whatever their ending. It reads other plain texts only in documentation folders."""
_DOCUMENTATION = frozenset(("doc", "docs", "documentation", "guide", "guides", "manual"))
_LOCKED = ("-lock.json", "-lock.yaml", ".lock.json", "shrinkwrap.json", ".min.json", ".map.json")
_LOGS = ("changelog", "changes", "history", "news", "release")


def format_of(path: str) -> str:
    """Return the format of a file, or "" for one that is neither prose nor configuration."""
    folders, _, base = path.rpartition("/")
    low = base.lower()
    if named := _BY_NAME.get(low):
        return named
    stem, _, suffix = low.rpartition(".")
    if low.endswith(_LOCKED):
        return ""
    if low.startswith(".env") and (not stem or stem == ".env"):
        return ENV
    if stem and suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix not in ("txt", low):
        return ""
    is_text = low.startswith(_TEXTS) if suffix == "txt" else low in _TEXTS
    documented = suffix == "txt" and not _DOCUMENTATION.isdisjoint(folders.lower().split("/"))
    return REST if is_text or documented else ""


def is_log(path: str) -> bool:
    """Return whether a text records changes: it mentions everything and explains little."""
    low = path.lower()
    return low.rpartition("/")[2].startswith(_LOGS) or "/changes/" in f"/{low}" or "/releases/" in f"/{low}"


# `re` compiles both only if such a source exists: each question on the command line is a process.
_SOURCE = r"(?P<above>(?:.*/)?)src/(?P<rest>.+)\.(?:[mc]?ts|tsx|coffee)$"
_MADE = r"(?P<stem>.+?)(?:\.d)?\.(?:[mc]?js|[mc]?ts)$"
_WRITTEN_IN = ("ts", "tsx", "coffee")
_INTO = frozenset(
    ("lib", "dist", "build", "out", "es", "esm", "cjs", "umd", "mjs", "module", "commonjs", "browser", "node")
)
"""Folders that compilers write into."""


def compiled(paths: Iterable[str]) -> set[str]:
    """Return the scripts among some files whose source is in `src` under the same name."""
    known = list(paths)
    written = (path for path in known if "src/" in path and path.endswith(_WRITTEN_IN) and ".d." not in path)
    sources = {found["above"] + found["rest"] for path in written if (found := re.match(_SOURCE, path))}
    if not sources:
        return set()
    return {path for path in known if (made := re.match(_MADE, path)) and not sources.isdisjoint(_beside(made["stem"]))}


def _beside(stem: str) -> list[str]:
    """Return the possible names of a script's source: its own, and that without the output folder."""
    parts = stem.split("/")
    if "src" in parts:
        return []
    shorter = ("/".join(parts[:place] + parts[place + 1 :]) for place, part in enumerate(parts[:-1]) if part in _INTO)
    return [stem, *shorter]
