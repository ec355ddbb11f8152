"""A file that is whole before anything has its name: it has none, or a temporary one that a kill may leave."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from attrs import define

from inarch_sandbox_fs.leftovers import hold, temporary_name
from inarch_sandbox_fs.reading import digest_of
from inarch_sandbox_fs.renaming import rename_new

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@define(eq=False, repr=False)
class Staged:
    """Bytes that are on disk, with their hash: a file without a name, else with a temporary one."""

    folder: int
    descriptor: int
    temporary: str
    after: str = ""

    def place_new(self, name: str) -> None:
        """Give it a name where nothing stands.

        Raises:
            FileExistsError: Something stands there.
        """
        if self.temporary:
            rename_new(self.folder, self.temporary, self.folder, name)
            self.temporary = ""
        else:
            self._link(name)

    def place_over(self, name: str) -> None:
        """Put it in the place of whatever file stands under a name."""
        if not self.temporary:
            hold(self.descriptor)  # before it has a name, so that nobody takes it for a leftover
            self._link(temporary := temporary_name(self.folder))
            self.temporary = temporary
        os.rename(self.temporary, name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        self.temporary = ""

    def _link(self, name: str) -> None:
        # Never made over something; what is linked has no name until now.
        os.link(f"/proc/self/fd/{self.descriptor}", name, dst_dir_fd=self.folder, follow_symlinks=True)

    def close(self) -> None:
        """Let go of it; a temporary name goes, too."""
        if self.temporary:
            with suppress(FileNotFoundError):
                os.unlink(self.temporary, dir_fd=self.folder)
        os.close(self.descriptor)


@contextmanager
def written(
    folder: int, chunks: Iterable[bytes], like: os.stat_result | None = None, mode: int | None = None
) -> Iterator[Staged]:
    """Yield a file that holds the bytes and is on disk, without a name if the file system can do that.

    Its mode is the given one, else that of the file it is to be like, else that of any new file.
    """
    mode = like.st_mode if mode is None and like is not None else mode
    staged = _begin(folder, 0o666 if mode is None else 0o600)
    try:
        _fill(staged.descriptor, chunks)
        if like is not None:
            give_to_owner_of(like, staged.descriptor)
        if mode is not None:
            os.fchmod(staged.descriptor, stat.S_IMODE(mode))
        os.fsync(staged.descriptor)
        staged.after = digest_of(staged.descriptor)
        yield staged
    finally:
        staged.close()


def _begin(folder: int, mode: int) -> Staged:
    """Open a file without a name; where the system has none, or no way to name it later, one with a temporary name."""
    if _UNNAMED and os.path.isdir("/proc/self/fd"):
        try:
            return Staged(folder, os.open(".", os.O_RDWR | _UNNAMED | os.O_CLOEXEC, mode, dir_fd=folder), "")
        except OSError as error:
            if error.errno not in _NO_UNNAMED:
                raise
    while True:
        name = temporary_name(folder)
        descriptor = os.open(name, _CREATE, mode, dir_fd=folder)
        if hold(descriptor):
            return Staged(folder, descriptor, name)
        os.close(descriptor)  # it was taken for a leftover before it was held, and is gone


def _fill(descriptor: int, chunks: Iterable[bytes]) -> None:
    for chunk in chunks:
        view = memoryview(chunk)
        while view:
            view = view[os.write(descriptor, view) :]


def give_to_owner_of(like: os.stat_result, descriptor: int) -> None:
    """Give an open file to who owns another, as far as the system allows."""
    if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(descriptor, like.st_uid, like.st_gid)
        except PermissionError:
            pass  # only root may give files away
