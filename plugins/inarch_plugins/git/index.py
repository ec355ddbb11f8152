"""A commit's own index, by git's own protocol: a copy named `index.lock` that takes the index's place, or doesn't."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from inarch import ToolFailed
from inarch_lib.staging.repositories import Repository

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def own_index(repository: Repository) -> Iterator[str]:
    """Lock the index and yield the path of a copy, which becomes the index if the body doesn't raise.

    No other git changes the index meanwhile. Whatever fails or is cancelled, the index stays as it was.

    Raises:
        ToolFailed: `conflict` where another git has locked it, `permission` where it can't be written.
    """
    index, lock = (os.path.join(repository.git_dir, name) for name in ("index", "index.lock"))
    try:
        descriptor = os.open(lock, _NEW, 0o666)
    except FileExistsError:
        raise ToolFailed(
            "conflict", f"{lock} exists: another git is at work, or was killed",
            "wait until it is done; if none runs, remove that file",
        ) from None  # fmt: skip
    except OSError as error:
        raise ToolFailed("permission", f"{repository.git_dir} can't be written: {error.strerror}") from None
    try:
        with open(descriptor, "wb") as copy:
            is_new = not _copied(index, copy)
        if is_new:
            os.unlink(lock)  # git would take an empty file for a damaged index
        yield lock
        os.replace(lock, index)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(lock)
        raise


def _copied(index: str, copy: BinaryIO) -> bool:
    """Copy the index; return whether there is one."""
    try:
        source = os.open(index, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    with open(source, "rb") as file:
        shutil.copyfileobj(file, copy)
        copy.flush()
        # Git compares files changed since the index was written by their bytes: the copy is as old as the index.
        kept = os.fstat(file.fileno())
        os.utime(copy.fileno(), ns=(kept.st_atime_ns, kept.st_mtime_ns))
    return True
