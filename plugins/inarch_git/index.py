"""A commit's own index, by git's own protocol: a copy named `index.lock` that takes the index's place, or doesn't."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from attrs import define

from inarch import ToolFailed
from inarch_sdk.repositories import Repository

_INDEX = "index"
_LOCK = "index.lock"


@contextmanager
def own_index(repository: Repository) -> Iterator[str]:
    """Lock the index and yield the path of a copy, which becomes the index if the body doesn't raise.

    No other git changes the index meanwhile. Whatever fails or is cancelled, the index stays as it was.

    Raises:
        ToolFailed: `conflict` where another git has locked it, `permission` where it can't be written.
    """
    with closing(_Folder(repository.git_dir)) as folder:
        folder.lock()
        done = False
        try:
            folder.copy()
            yield os.path.join(repository.git_dir, _LOCK)
            folder.take()
            done = True
        finally:
            if not done:
                folder.unlock()


@define(eq=False, repr=False, init=False)
class _Folder:
    """The folder with an index, held by a descriptor."""

    path: str
    descriptor: int

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def lock(self) -> None:
        try:
            os.close(self._open(_LOCK, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            raise ToolFailed(
                "conflict", f"{self.path}/{_LOCK} exists: another git is at work, or was killed",
                "wait until it is done; if none runs, remove that file",
            ) from None  # fmt: skip
        except OSError as error:
            raise ToolFailed("permission", f"{self.path} can't be written: {error.strerror}") from None

    def copy(self) -> None:
        try:
            source = self._open(_INDEX, os.O_RDONLY)
        except FileNotFoundError:
            self.unlock()  # a new repository has none; git would take an empty file for a damaged one
            return
        with open(source, "rb") as index, open(self._open(_LOCK, os.O_WRONLY), "wb") as lock:
            shutil.copyfileobj(index, lock)
            lock.flush()
            # Git compares files changed since the index was written by their bytes: the copy is as old as the index.
            kept = os.fstat(index.fileno())
            os.utime(lock.fileno(), ns=(kept.st_atime_ns, kept.st_mtime_ns))

    def take(self) -> None:
        os.replace(_LOCK, _INDEX, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def unlock(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(_LOCK, dir_fd=self.descriptor)

    def close(self) -> None:
        os.close(self.descriptor)

    def _open(self, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=self.descriptor)
