"""Rename without ever overwriting."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_NO_REPLACE = 1
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP)


def rename_new(folder: int, name: str, new_folder: int, new_name: str) -> None:
    """Give a file a new name where nothing stands.

    Raises:
        FileExistsError: Something stands there.
    """
    rename = _renameat2()
    if rename is not None:
        code = rename(folder, name, new_folder, new_name)
        if code == 0:
            return
        if code not in _UNSUPPORTED:
            raise OSError(code, os.strerror(code), new_name)
    # A hard link is never made over something either.
    os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
    os.unlink(name, dir_fd=folder)


@cache
def _renameat2() -> Callable[[int, str, int, str], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]

    def rename(folder: int, name: str, new_folder: int, new_name: str) -> int:
        done = function(folder, os.fsencode(name), new_folder, os.fsencode(new_name), _NO_REPLACE)
        return 0 if done == 0 else ctypes.get_errno()

    return rename
