"""The parts of a repository that have a manifest of their own: what makes it a monorepo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarch import ToolResult
from inarch_offline.layout import is_aside
from inarch_offline.manifests import Project, is_manifest, read_project
from inarch_offline.material import file_text

_MOST_ROOMS = 12
_OF_A_ROOM = (
    "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts",
    "setup.cfg", "setup.py", "composer.json", "mix.exs",
)  # fmt: skip
"""Manifests that make a folder a part of its own, the most telling first."""


def rooms_of(paths: Sequence[str]) -> dict[str, str]:
    """Give the folders of a repository that have a manifest of their own, each with it; one alone is no monorepo."""
    found: dict[str, str] = {}
    inner = [path for path in paths if 0 < path.count("/") <= 3 and is_manifest(path) and not is_aside(path)]
    for path in sorted(inner, key=lambda path: (path.count("/"), path)):
        folder, _, base = path.rpartition("/")
        known = found.get(folder)
        if base in _OF_A_ROOM and (known is None or _rank(path) < _rank(known)):
            found[folder] = path
    return dict(list(found.items())[:_MOST_ROOMS]) if len(found) > 1 else {}


def _rank(path: str) -> int:
    return _OF_A_ROOM.index(path.rpartition("/")[2])


def read_rooms(rooms: Mapping[str, str], results: Sequence[ToolResult]) -> list[tuple[str, Project]]:
    """Read what the manifest of each part says of it."""
    texts = [file_text(result) for result in results]
    return [(folder, read_project([text], [])) for folder, text in zip(rooms, texts, strict=True) if text is not None]
