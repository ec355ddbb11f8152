"""Remove what a program left, by descriptors alone and without following links: standard library only."""

from __future__ import annotations

import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(folder: int, name: str) -> bool:
    """Remove what has a name in a folder, with all below it; return whether nothing has that name any more.

    A link goes itself, not what it leads to. However deep a tree is, two descriptors and no recursion are enough.
    """
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:  # a folder, most likely
        try:
            _empty(folder, name)
            os.rmdir(name, dir_fd=folder)
        except OSError:
            return False
    return True


def set_mode(folder: int, name: str, mode: int) -> None:
    """Change the permissions of what has a name in a folder; those of a link are left alone."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    place = os.open(name, _PLACE, dir_fd=folder)
    try:
        if not stat.S_ISLNK(os.fstat(place).st_mode):
            os.chmod(f"/proc/self/fd/{place}", mode)
    finally:
        os.close(place)


def _empty(parent: int, name: str) -> None:
    """Empty a folder: what lies deeper is moved up to it first, so that no path becomes long."""
    set_mode(parent, name, stat.S_IRWXU)  # what can't be listed can't be emptied
    top = os.open(name, _FOLDER, dir_fd=parent)
    try:
        pending = _clear(top, top)
        while pending:
            one = pending.pop()
            deeper = os.open(one, _FOLDER, dir_fd=top)
            try:
                pending += _clear(deeper, top)
            finally:
                os.close(deeper)
            os.rmdir(one, dir_fd=top)
    finally:
        os.close(top)


def _clear(folder: int, top: int) -> list[str]:
    """Remove what is no folder from a folder; return the folders in it by their names in `top`, where they are now."""
    moved = []
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except OSError:
            set_mode(folder, name, stat.S_IRWXU)
            new = name if folder == top else os.urandom(12).hex()
            if folder != top:
                os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
            moved.append(new)
    return moved
