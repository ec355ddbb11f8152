"""Unix sockets of other programs that lie in the workspace: what may write there could otherwise talk to them."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator

from inarch_sandbox_fs.opening import Open

MOST_FOLDERS = 4_000
"""Folders in which sockets are looked for."""


def live_sockets(root: int, open_it: Open, skip: frozenset[str]) -> Iterator[str]:
    """Yield the paths, relative to the root, of sockets that somebody holds; what a program left behind is none.

    Args:
        root: The workspace.
        open_it: How to open below it.
        skip: Names of folders in which nobody is looked for.
    """
    pending, seen = ["."], 0
    while pending and seen < MOST_FOLDERS:
        folder, seen = pending.pop(), seen + 1
        try:
            descriptor = open_it(root, folder, os.O_RDONLY | os.O_DIRECTORY, False)
        except OSError:
            continue
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    path = entry.name if folder == "." else f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in skip:
                            pending.append(path)
                    elif not entry.is_file(follow_symlinks=False) and _is_live(descriptor, entry):
                        yield path
        except OSError:
            continue
        finally:
            os.close(descriptor)


def _is_live(folder: int, entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink() or not stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
        return False
    # Hardly any server takes packets in order: to all others this is the wrong kind, and they notice nothing.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK) as end:
        return end.connect_ex(f"/proc/self/fd/{folder}/{entry.name}") not in (errno.ECONNREFUSED, errno.ENOENT)
