"""Files that `write_whole` writes atomically: after a kill they have either the old bytes or the new ones.

If the file system allows it, a file has no name while it is written, and a replacement has a temporary name between two
system calls. There, and on other file systems, a kill may leave a temporary name. The next write to that folder removes
it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import define

__all__ = [
    "Staged",
    "give",
    "hold",
    "is_leftover",
    "keep_former",
    "lock",
    "make_folder",
    "opened",
    "staged",
    "sweep",
    "temporary_name",
    "write_cache",
    "write_whole",
]

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_HELD = (errno.EWOULDBLOCK, errno.EACCES)
_LONG_S = 3600.0
_NO_REPLACE = 1
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP)
_LEFTOVER = re.compile(r"\.inarch-(?:(?:undo-)?[0-9a-f]+-)?[0-9a-f]{16}\.tmp")


def write_whole(
    path: str | os.PathLike[str],
    data: bytes | Iterable[bytes],
    *,
    mode: int | None = 0o600,
    replace: bool = True,
    sync: bool = True,
    folder: int | None = None,
    former: str = "",
) -> int:
    """Write a file atomically and return its size; remove what killed processes left beside it.

    Args:
        path: The file.
        data: Its bytes, in pieces if they are many.
        mode: Its permissions; None for those of any new file.
        replace: Whether it may replace an existing file.
        sync: Whether its bytes are on disk when it gets its name.
        folder: An open folder from which the path leads.
        former: A regular expression of the file's temporary names in older versions.

    Raises:
        FileExistsError: It exists and may not be replaced.
    """
    parent, name = os.path.split(os.fspath(path))
    with opened(parent or ".", folder) as inner:
        sweep(inner, former)
        with staged(inner, [data] if isinstance(data, bytes) else data, mode=mode, sync=sync) as file:
            (file.place_over if replace else file.place_new)(name)
            return os.fstat(file.descriptor).st_size


def write_cache(path: str | os.PathLike[str], data: bytes, *, former: str = "") -> None:
    """Write a cache file and its folder; do nothing if that fails.

    Args:
        path: The file.
        data: Its bytes, which need not be on disk when it gets its name.
        former: As for `write_whole`.
    """
    with suppress(OSError):
        make_folder(os.path.dirname(path))
        write_whole(path, data, sync=False, former=former)


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder and its parents; the new ones are private to the user.

    `mkdir` and `makedirs` give that mode only to the last one.
    """
    folder, missing = Path(folder), list[Path]()
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file beside a file, which is made with its folder if needed; other processes wait.

    Raises:
        OSError: The lock is unavailable.
    """
    import fcntl

    make_folder(path.parent)
    lock_file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock_file)


def keep_former(path: Path, version: int, copy: Callable[[Path, Path], object] | None = None) -> Path:
    """Copy a file to `NAME.version-N`, whole and private, before an upgrade; return the copy's path.

    Args:
        path: The file.
        version: Its version. An existing copy of that version stays, because it is the older one.
        copy: Copies the first path's content into the file at the second; by default byte for byte.

    Raises:
        OSError: The copy failed.
    """
    from shutil import copyfile

    former = path.with_name(f"{path.name}.version-{version}")
    if former.exists():
        return former
    with opened(former.parent) as folder:
        sweep(folder)
        with staged(folder, named=True) as file:
            (copy or copyfile)(path, former.with_name(file.temporary))
            file.place_over(former.name)
    return former


@contextmanager
def opened(path: str | os.PathLike[str], folder: int | None = None) -> Iterator[int]:
    """Yield a folder's descriptor; `folder` is an open one from which the path leads."""
    descriptor = os.open(path, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@define(eq=False, repr=False)
class Staged:
    """Written file without a name, or with a temporary one."""

    folder: int
    descriptor: int
    temporary: str

    def place_new(self, name: str) -> None:
        """Give it a name that is not in use."""
        if not self.temporary:
            self._link(name)
            return
        rename_new(self.folder, self.temporary, self.folder, name)
        self.temporary = ""

    def place_over(self, name: str) -> None:
        """Replace the file that has a name, or take the free name."""
        if not self.temporary:
            hold(self.descriptor)  # before it has a name, so that it is not taken for a leftover
            self._link(temporary := temporary_name(self.folder))
            self.temporary = temporary
        os.rename(self.temporary, name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        self.temporary = ""

    def _link(self, name: str) -> None:
        # Never over an existing file; the linked file has no name until now.
        os.link(f"/proc/self/fd/{self.descriptor}", name, dst_dir_fd=self.folder, follow_symlinks=True)

    def close(self) -> None:
        """Close it and remove its temporary name."""
        if self.temporary:
            with suppress(FileNotFoundError):
                os.unlink(self.temporary, dir_fd=self.folder)
        os.close(self.descriptor)


@contextmanager
def staged(
    folder: int,
    pieces: Iterable[bytes] = (),
    *,
    mode: int | None = 0o600,
    owner: tuple[int, int] | None = None,
    sync: bool = True,
    named: bool = False,
) -> Iterator[Staged]:
    """Yield a file with the bytes, to place in the folder.

    Args:
        folder: The folder's descriptor.
        pieces: The bytes.
        mode: Its permissions; None for those of any new file.
        owner: Its new user and group, as far as the system allows.
        sync: Whether to flush its bytes to disk.
        named: Whether it has a temporary name in any case, for writers that need a path.
    """
    file = _begin(folder, 0o666 if mode is None else 0o600, named)
    try:
        with open(file.descriptor, "wb", closefd=False) as stream:
            stream.writelines(pieces)
        if owner is not None:
            give(file.descriptor, owner)
        if mode is not None and stat.S_IMODE(mode) != 0o600:
            os.fchmod(file.descriptor, stat.S_IMODE(mode))
        if sync:
            os.fsync(file.descriptor)
        yield file
    finally:
        file.close()


def _begin(folder: int, mode: int, named: bool) -> Staged:
    """Open a file without a name, or with a temporary one if the system cannot name it later."""
    if _UNNAMED and not named and os.path.isdir("/proc/self/fd"):
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
        os.close(descriptor)  # another process took it for a leftover before it was held


def give(descriptor: int, owner: tuple[int, int]) -> None:
    """Give an open file to a user and a group, as far as the system allows."""
    if owner != (os.geteuid(), os.getegid()):
        try:
            os.fchown(descriptor, *owner)
        except PermissionError:
            pass  # only root may give files away


def rename_new(folder: int, name: str, new_folder: int, new_name: str) -> None:
    """Rename a file to a name that is not in use.

    Raises:
        FileExistsError: The name is in use.
    """
    from inarch_lib.confinement.kernel import function  # imported here: readers do not need it

    try:
        function("renameat2", new_name, folder, os.fsencode(name), new_folder, os.fsencode(new_name), _NO_REPLACE)
        return
    except AttributeError:
        pass  # this system's C library lacks the call
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    # A hard link never replaces an existing file either.
    os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
    os.unlink(name, dir_fd=folder)


def temporary_name(folder: int) -> str:
    """Return a new temporary name for a replacement in this folder."""
    return f"{_marked(folder)}{os.urandom(8).hex()}.tmp"


def is_leftover(name: str) -> bool:
    """Return whether a name is one of our temporary names: being written now, or left by a killed process."""
    return name.startswith(".inarch-") and _LEFTOVER.fullmatch(name) is not None


def sweep(folder: int, former: str = "") -> None:
    """Remove files that killed processes left in a folder while they wrote to it.

    Only our own files count: the name says that the file was made in this very folder, unlike the name of a copy or of
    a file from a repository, and no process holds it. A file that cannot be locked or removed stays. Links, and names
    that match `former`, which were never held, count when they are an hour old.
    """
    beginning = _marked(folder)
    with suppress(OSError):
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            for name in os.listdir(listed):
                is_ours = name.startswith(beginning) and is_leftover(name)
                if is_ours or (former and re.fullmatch(former, name, re.DOTALL)):
                    with suppress(OSError):
                        _remove(folder, name, is_ours)
        finally:
            os.close(listed)


def _remove(folder: int, name: str, is_held: bool) -> None:
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if os.geteuid() not in (0, found.st_uid):  # root gives files away
        return
    if not is_held or stat.S_ISLNK(found.st_mode):
        if time.time() - found.st_mtime > _LONG_S and stat.S_IFMT(found.st_mode) in (stat.S_IFREG, stat.S_IFLNK):
            os.unlink(name, dir_fd=folder)
    elif stat.S_ISREG(found.st_mode):
        descriptor = os.open(name, _LOOK, dir_fd=folder)
        try:
            if lock(descriptor):
                os.unlink(name, dir_fd=folder)
        finally:
            os.close(descriptor)


def hold(descriptor: int) -> bool:
    """Mark an open file with a temporary name as in use; return whether it still exists."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False  # otherwise only the process about to remove it locks it
    return os.fstat(descriptor).st_nlink > 0


def lock(descriptor: int) -> bool:
    """Lock an open file without waiting; return False if the system or file system has no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return False
    except OSError as error:
        if error.errno in _HELD:
            raise BlockingIOError(*error.args) from None
        return False
    return True


def _marked(folder: int) -> str:
    # The folder's number: a copy, or a file from a repository, has the number of another.
    return f".inarch-{os.fstat(folder).st_ino:x}-"
