"""`--plugin FILE`: a Python file tried as a plugin, unless a project that is not trusted could have put it there.

Only the person names files, on the command line or in a program of their own; no configuration and no variable does.
Still "try this one file" can be said by the README of a cloned repository. So a file inside a project that brings along
what needs trust (`.inarch`, `AGENTS.md`) counts only once that project is trusted, like everything else it brings. A
folder with neither has nothing that trust could be asked for: there the file is the author's own, and named by them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch.contract.errors import UsageError
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import single_file

if TYPE_CHECKING:
    from inarch.config.config import Config


def tried_file(path: str, config: Config) -> FoundPlugin:
    """Return the plugin that a file is.

    Raises:
        UsageError: There is no such file, it can't name a plugin, or it may not be loaded.
    """
    from inarch.config.trust import Trust

    found = single_file(path)
    _check_owner(path, found.file)
    for project in _projects(found.file, config):
        if Trust(project, config.state_dir).standing().state not in ("nothing", "trusted"):
            raise UsageError(
                f"--plugin {path}: the file is in {project}, and that project is not trusted",
                f"look at the file and at the project, then: inarch config trust --root {project}",
            )
    return found


def _check_owner(path: str, file: str) -> None:
    """Refuse a file of somebody else, such as one that waits in a shared folder; root may read everybody's."""
    user = os.geteuid()
    if user != 0 and os.stat(file).st_uid not in (user, 0):  # noqa: PTH116 - beside realpath
        raise UsageError(f"--plugin {path}: the file belongs to another user", "copy it to a folder of yours, read it")


def _projects(file: str, config: Config) -> Iterator[str]:
    """Yield the workspace's root and every other folder around the file; where it is a link, around both ends."""
    home = config.environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - what counts in this run
    outside = {home, os.path.realpath(home), "/"}
    root = os.path.realpath(config.root)
    seen: set[str] = set()
    for place in (os.path.abspath(file), os.path.realpath(file)):  # noqa: PTH100
        folder = os.path.dirname(place)  # noqa: PTH120
        while folder not in seen:
            seen.add(folder)
            if os.path.realpath(folder) == root or folder not in outside:
                yield folder
            folder = os.path.dirname(folder)  # noqa: PTH120
