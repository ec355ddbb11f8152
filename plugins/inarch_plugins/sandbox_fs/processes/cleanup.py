"""Removal of what a program left, by descriptors and without following links: standard library only."""

from __future__ import annotations

import os
import stat

from inarch_plugins.sandbox_fs.safe_open import held

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(folder: int, name: str) -> bool:
    """Remove an entry of a folder with all below it; return whether the name is free.

    A link itself is removed, not its target. Two descriptors suffice for a tree of any depth, without recursion.
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
    """Change the permissions of an entry in a folder, unless it is a link."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    with held(os.open(name, _PLACE, dir_fd=folder)) as place:
        if not stat.S_ISLNK(os.fstat(place).st_mode):
            os.chmod(f"/proc/self/fd/{place}", mode)


def _empty(parent: int, name: str) -> None:
    """Empty a folder: first move deeper folders up into it, so that no path becomes long."""
    set_mode(parent, name, stat.S_IRWXU)  # what cannot be listed cannot be emptied
    with held(os.open(name, _FOLDER, dir_fd=parent)) as top:
        pending = _clear(top, top)
        while pending:
            one = pending.pop()
            with held(os.open(one, _FOLDER, dir_fd=top)) as deeper:
                pending += _clear(deeper, top)
            os.rmdir(one, dir_fd=top)


def _clear(folder: int, top: int) -> list[str]:
    """Remove everything but folders from a folder; return the new names in `top` of its folders."""
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
