"""Bundles: skills, agents, prompt files and hooks of a repository, stored as the user has seen them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_lib.bundles.store import Bundle, Kept

__all__ = ["HOOKS", "enabled", "has_bundles"]

HOOKS = "hooks/hooks.json"
"""The file with a bundle's hooks."""


def has_bundles(state_dir: str) -> bool:
    """Return whether any bundle may be stored. Nothing else is imported.

    Args:
        state_dir: A plugin's state folder; empty means no bundles.
    """
    return bool(state_dir) and (_folder(state_dir) / "bundles.json").is_file()


def enabled(state_dir: str, project: Kept | None = None) -> list[Bundle]:
    """Return the bundles that count here.

    Args:
        state_dir: A plugin's state folder; empty means no bundles.
        project: The files of the project; None if it is not trusted.
    """
    if not has_bundles(state_dir):
        return []
    from inarch_lib.bundles.store import stored

    return stored(_folder(state_dir), project)


def _folder(state_dir: str) -> Path:
    return Path(state_dir).parent.parent / "bundles"
