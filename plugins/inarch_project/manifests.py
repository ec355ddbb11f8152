"""Dependencies and frameworks out of the manifest files of common ecosystems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import inarch
from inarch_toml import loads

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


def _pyproject(text: str) -> list[str]:
    data = loads(text)
    project = data.get("project", {})
    extra = [item for group in project.get("optional-dependencies", {}).values() for item in group]
    poetry = [name for name in data.get("tool", {}).get("poetry", {}).get("dependencies", {}) if name != "python"]
    return _requirement_names([*project.get("dependencies", []), *extra, *poetry])


def _requirements(text: str) -> list[str]:
    return _requirement_names([line for line in text.splitlines() if not line.lstrip().startswith(("#", "-"))])


def _package_json(text: str) -> list[str]:
    data = json.loads(text)
    return [*data.get("dependencies", {}), *data.get("devDependencies", {})]


def _cargo(text: str) -> list[str]:
    data = loads(text)
    return [*data.get("dependencies", {}), *data.get("dev-dependencies", {})]


def _go_mod(text: str) -> list[str]:
    return re.findall(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\d", text, re.MULTILINE)


def _gemfile(text: str) -> list[str]:
    return re.findall(r"^\s*gem\s+['\"]([^'\"]+)", text, re.MULTILINE)


READERS: dict[str, Callable[[str], list[str]]] = {
    "pyproject.toml": _pyproject,
    "requirements.txt": _requirements,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "Gemfile": _gemfile,
}
"""Manifests that are read, by their name at the root."""
