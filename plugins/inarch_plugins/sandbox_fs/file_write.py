"""Atomic changes of files, made only if the expected bytes are present."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from inarch import ToolFailed
from inarch_lib.staging import staged
from inarch_plugins.sandbox_fs.failures import changed, exists
from inarch_plugins.sandbox_fs.file_read import digest_of, require_regular
from inarch_plugins.sandbox_fs.paths import above, split
from inarch_plugins.sandbox_fs.safe_open import FOLDER, SAFE, Open, held


@contextmanager
def parent_folder(root: int, open_it: Open, path: str, make: bool) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the parent directory, reached without following links, and the last name."""
    parent, name = split(path)
    made: list[str] = []
    try:
        folder = open_it(root, parent, FOLDER, False)
    except FileNotFoundError:
        if not make:
            raise
        made, folder = _make_folders(root, open_it, parent)
    try:
        yield folder, name
    except BaseException:
        for one in reversed(made):
            _remove_folder(root, open_it, one)
        raise
    finally:
        os.close(folder)


def _make_folders(root: int, open_it: Open, parent: str) -> tuple[list[str], int]:
    made: list[str] = []
    try:
        for path in (*reversed([*above(parent)]), parent):
            higher, name = split(path)
            with held(open_it(root, higher, FOLDER, False)) as folder, suppress(FileExistsError):
                os.mkdir(name, 0o777, dir_fd=folder)
                made.append(path)
        return made, open_it(root, parent, FOLDER, False)
    except BaseException:
        for one in reversed(made):
            _remove_folder(root, open_it, one)
        raise


def _remove_folder(root: int, open_it: Open, path: str) -> None:
    parent, name = split(path)
    # If another program put something there meanwhile, we must not remove it.
    with suppress(OSError), held(open_it(root, parent, FOLDER, False)) as folder:
        os.rmdir(name, dir_fd=folder)


def present_hash(folder: int, name: str, path: str) -> tuple[str, os.stat_result] | None:
    """Return hash and status of the regular file with this name, or None if there is none."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | SAFE, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise ToolFailed(
                "permission", f"{path} is a symbolic link; writing never goes through one", "write to the file itself"
            ) from None
        raise
    with held(descriptor):
        status = require_regular(descriptor, path)
        return digest_of(descriptor), status


def require_hash(folder: int, name: str, path: str, expected: str) -> os.stat_result:
    """Return the status of a file if its present bytes have the expected hash."""
    found = present_hash(folder, name, path)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if found[0] != expected:
        raise changed(path)
    return found[1]


def require_nothing(folder: int, name: str, path: str) -> None:
    """Raise unless a name is free."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    raise exists(path)


def write_new(folder: int, name: str, path: str, chunks: Iterable[bytes]) -> str:
    """Make a new file and return its hash."""
    require_nothing(folder, name, path)
    with staged(folder, chunks, mode=None) as file:
        after = digest_of(file.descriptor)
        file.place_new(name)
    return after


def write_over(folder: int, name: str, path: str, chunks: Iterable[bytes], expected: str) -> str:
    """Replace the expected bytes with others and return the new hash."""
    status = require_hash(folder, name, path, expected)
    _require_write_right(folder, name, path)
    with staged(folder, chunks, mode=status.st_mode, owner=(status.st_uid, status.st_gid)) as file:
        after = digest_of(file.descriptor)
        # Compared as late as possible: a save made while the new bytes went to disk is not lost.
        require_hash(folder, name, path, expected)
        file.place_over(name)
    return after


def write_back(folder: int, name: str, path: str, blob: bytes, mode: int) -> tuple[str | None, str]:
    """Restore a file's earlier bytes and mode over the present file; return both hashes."""
    found = present_hash(folder, name, path)
    owner = (found[1].st_uid, found[1].st_gid) if found else None
    with staged(folder, [blob], mode=mode, owner=owner) as file:
        after = digest_of(file.descriptor)
        file.place_over(name)
    return (found[0] if found else None), after


def _require_write_right(folder: int, name: str, path: str) -> None:
    # A rename needs the directory's permission only; a read-only file is meant to stay as it is.
    effective = os.access in os.supports_effective_ids
    if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=effective):
        raise ToolFailed("permission", f"{path} is read-only", "change its mode first if it should be written")
