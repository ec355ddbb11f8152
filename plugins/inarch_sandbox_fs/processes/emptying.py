"""Remove the private folder of a command: standard library only, without what `shutil` takes to import."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence


def remove_tree(path: str, made: Sequence[str]) -> None:
    """Remove a folder and all below it without following links; nobody else may write there any more.

    Args:
        path: The folder.
        made: Folders in it that were made at the start, parents first: often they are all there is.
    """
    try:
        for folder in reversed(made):
            os.rmdir(folder)
    except OSError:
        _empty(path)


def _empty(path: str) -> None:
    for folder, names, _ in os.walk(path):
        for below in (os.path.join(folder, name) for name in names):
            if not os.path.islink(below):
                _quietly(lambda below: os.chmod(below, stat.S_IRWXU), below)  # what can't be listed can't be emptied
    for folder, names, files in os.walk(path, topdown=False):
        for name in files:
            _quietly(os.unlink, os.path.join(folder, name))
        for name in names:
            below = os.path.join(folder, name)
            _quietly(os.unlink if os.path.islink(below) else os.rmdir, below)
    _quietly(os.rmdir, path)


def _quietly(act: Callable[[str], None], path: str) -> None:
    try:
        act(path)
    except OSError:
        pass
