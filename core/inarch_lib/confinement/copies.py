"""Copy of a folder at the folder's own path, for the calling process and those that it starts."""

from __future__ import annotations

import os

from .namespaces import NEW_MOUNTS, separate
from .overlay import BELOW, cover
from .view import copy_of, place_at, set_private


def enter_copy(root: str, folder: str) -> None:
    """Show the calling process a copy of `root` whose changes `folder` takes; the copy ends with its processes.

    Args:
        root: The real path of the original.
        folder: Has the folders `UPPER`, `WORK` and `BELOW`. No other copy may use them meanwhile.

    Raises:
        OSError: The kernel, its settings or a file system do not allow it.
    """
    here = os.getcwd()
    separate(NEW_MOUNTS)
    set_private()
    place = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        shown = cover(place, folder, writable=True)
        place_at(copy_of(root), os.path.join(folder, BELOW), read_only=True)
        place_at(shown, root)
    finally:
        os.close(place)
    os.chdir(here)  # the old folder belongs to the original
