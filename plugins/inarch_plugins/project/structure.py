"""The project's structure as context: a description of the repository before any file is read."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import inarch
from inarch_lib.toml import loads
from inarch_sdk.short_data import STRUCTURE_TITLE as TITLE

MANIFEST_BYTES = 262_144
MAX_NAMES = 25

FRAMEWORKS = {
    "django": "Django", "flask": "Flask", "fastapi": "FastAPI", "starlette": "Starlette", "click": "click",
    "typer": "Typer", "pytest": "pytest", "sqlalchemy": "SQLAlchemy", "pydantic": "pydantic", "celery": "Celery",
    "react": "React", "vue": "Vue", "svelte": "Svelte", "next": "Next.js", "express": "Express", "jest": "Jest",
    "vitest": "Vitest", "tokio": "Tokio", "axum": "axum", "clap": "clap", "rails": "Rails",
}  # fmt: skip

_NAME = re.compile(r"^\s*([A-Za-z0-9@][\w.@/-]*)")


def read_manifests(workspace: inarch.Workspace, paths: Sequence[str]) -> list[str]:
    """Return a line of dependencies for each manifest at the root, and a line of the frameworks among them."""
    lines: list[str] = []
    names: list[str] = []
    for path in [name for name in READERS if name in set(paths)]:
        try:
            found = READERS[path](workspace.read(path, 0, MANIFEST_BYTES).data.decode("utf-8", "replace"))
        except inarch.ToolFailed as error:
            lines.append(f"{path}: {error.message}")
            continue
        except (ValueError, TypeError, AttributeError) as error:
            lines.append(f"{path}: can't be read ({str(error).splitlines()[0] if str(error) else 'wrong shape'})")
            continue
        if found:
            more = f" (+{len(found) - MAX_NAMES})" if len(found) > MAX_NAMES else ""
            lines.append(f"{path} depends on: {', '.join(found[:MAX_NAMES])}{more}")
            names += found
    known = dict.fromkeys(FRAMEWORKS[name.lower()] for name in names if name.lower() in FRAMEWORKS)
    return lines + ([f"frameworks: {', '.join(known)}"] if known else [])


def _requirement_names(requirements: Sequence[Any]) -> list[str]:
    matches = (_NAME.match(item) for item in requirements if isinstance(item, str))
    return list(dict.fromkeys(match[1] for match in matches if match))


def _names_in(data: Mapping[str, Any], *tables: str) -> list[str]:
    return [name for table in tables for name in data.get(table, {})]


def _pyproject(text: str) -> list[str]:
    data = loads(text)
    project = data.get("project", {})
    extra = [item for group in project.get("optional-dependencies", {}).values() for item in group]
    poetry = [name for name in data.get("tool", {}).get("poetry", {}).get("dependencies", {}) if name != "python"]
    return _requirement_names([*project.get("dependencies", []), *extra, *poetry])


READERS: dict[str, Callable[[str], list[str]]] = {
    "pyproject.toml": _pyproject,
    "requirements.txt": lambda text: _requirement_names(re.findall(r"(?m)^[ \t]*([^#\s-].*)", text)),
    "package.json": lambda text: _names_in(json.loads(text), "dependencies", "devDependencies"),
    "Cargo.toml": lambda text: _names_in(loads(text), "dependencies", "dev-dependencies"),
    "go.mod": lambda text: re.findall(r"(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\d", text),
    "Gemfile": lambda text: re.findall(r"(?m)^\s*gem\s+['\"]([^'\"]+)", text),
}
"""Parsers of manifests, by their name at the root."""


MAX_FILES = 50_000
TREE_LINES = 60
README_LINES = 20
README_BYTES = 16_384

LANGUAGES = {
    "py": "Python", "pyi": "Python", "js": "JavaScript", "mjs": "JavaScript", "jsx": "JavaScript",
    "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "java": "Java", "kt": "Kotlin", "c": "C",
    "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cs": "C#", "rb": "Ruby", "php": "PHP", "swift": "Swift",
    "scala": "Scala", "sh": "Shell", "sql": "SQL", "html": "HTML", "css": "CSS", "scss": "CSS", "vue": "Vue",
    "svelte": "Svelte", "lua": "Lua", "ex": "Elixir", "exs": "Elixir", "hs": "Haskell", "dart": "Dart", "r": "R",
}  # fmt: skip


async def structure(situation: inarch.Situation) -> inarch.Contribution | None:
    """Return the project's description, unless the model has just that already."""
    text = await asyncio.to_thread(describe_project, situation.workspace)
    parts = (part for message in reversed(situation.messages) for part in reversed(message.parts))
    known = (part.text for part in parts if isinstance(part, inarch.Text) and part.text.startswith(TITLE))
    return None if text == next(known, "") else inarch.Contribution(text)


def describe_project(workspace: inarch.Workspace) -> str:
    """Return the structure as Markdown, bounded in size."""
    walk = workspace.walk("**/*", MAX_FILES)
    if not walk.paths:
        return f"{TITLE}\nThe directory has no files."
    count = f"{'more than ' if walk.truncated else ''}{len(walk.paths)} files"
    manifests = read_manifests(workspace, walk.paths)
    lines = [TITLE, f"{count}; {_languages(walk.paths)}", *manifests, "", *_tree(walk.paths)]
    readme = _readme(workspace, walk.paths)
    return "\n".join(lines + (["", *readme] if readme else []))


def _languages(paths: Iterable[str]) -> str:
    endings = Counter(path.rsplit(".", 1)[-1].lower() for path in paths if "." in path.rsplit("/", 1)[-1])
    counts: Counter[str] = Counter()
    for ending, number in endings.items():
        if ending in LANGUAGES:
            counts[LANGUAGES[ending]] += number
    said = ", ".join(f"{name} ({number})" for name, number in counts.most_common(5))
    return f"languages: {said}" if said else "no source files of a known language"


def _tree(paths: tuple[str, ...]) -> list[str]:
    """Return directories with their file counts, the top levels first, and the files at the root."""
    counts: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            counts["/".join(parts[:depth])] += 1
    root_files = [path for path in paths if "/" not in path]
    chosen: list[str] = []
    depth = 1
    while len(chosen) + len(root_files[:20]) < TREE_LINES:
        level = [name for name in counts if name.count("/") == depth - 1]
        room = TREE_LINES - len(chosen) - len(root_files[:20])
        if not level:
            break
        chosen += sorted(level, key=lambda name: -counts[name])[:room]
        depth += 1
    lines = [f"{'  ' * name.count('/')}{name.rsplit('/', 1)[-1]}/ ({counts[name]})" for name in sorted(chosen)]
    left_out = len(counts) - len(chosen)
    lines += root_files[:20]
    if left_out or len(root_files) > 20:
        lines.append(f"(+{left_out} directories, +{max(0, len(root_files) - 20)} files at the root)")
    return lines


def _readme(workspace: inarch.Workspace, paths: tuple[str, ...]) -> list[str]:
    name = next((path for path in paths if "/" not in path and path.lower().startswith("readme")), None)
    if name is None:
        return []
    try:
        text = workspace.read(name, 0, README_BYTES).data.decode("utf-8", "replace")
    except inarch.ToolFailed:
        return []
    return [f"{name}:", *(line[:200] for line in text.splitlines()[:README_LINES])]
