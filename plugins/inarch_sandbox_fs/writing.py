"""Change files so that each change happens whole or not at all, and only where the expected bytes stand."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from attrs import define

from inarch import ToolFailed
from inarch_sandbox_fs.failures import changed, exists, not_a_file
from inarch_sandbox_fs.leftovers import temporary_name
from inarch_sandbox_fs.opening import FOLDER, SAFE, Open
from inarch_sandbox_fs.paths import split
from inarch_sandbox_fs.reading import digest_of
from inarch_sandbox_fs.renaming import rename_new

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def parent_folder(root: int, open_it: Open, path: str, make: bool) -> Iterator[tuple[int, str]]:
    """Yield a descriptor of the parent directory, reached without following any link, and the last name.

    Args:
        root: The root's descriptor.
        open_it: How to open below it.
        path: A normal path.
        make: Whether missing directories are made; those are removed again when the block fails.
    """
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
    folder, reached = os.dup(root), ""
    try:
        for part in parent.split("/"):
            reached = f"{reached}/{part}" if reached else part
            try:
                os.mkdir(part, 0o777, dir_fd=folder)
                made.append(reached)
            except FileExistsError:
                pass
            deeper = os.open(part, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = deeper
    except BaseException:
        os.close(folder)
        for one in reversed(made):
            _remove_folder(root, open_it, one)
        raise
    return made, folder


def _remove_folder(root: int, open_it: Open, path: str) -> None:
    parent, name = split(path)
    try:
        folder = open_it(root, parent, FOLDER, False)
    except OSError:
        return
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError:
        pass  # somebody put something there meanwhile: then it is no longer ours to remove
    finally:
        os.close(folder)


def present_hash(folder: int, name: str, path: str) -> tuple[str, os.stat_result] | None:
    """Return hash and status of the regular file with this name, or None where nothing stands.

    Raises:
        ToolFailed: Something else than a regular file stands there.
    """
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
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise not_a_file(path, status.st_mode)
        return digest_of(descriptor), status
    finally:
        os.close(descriptor)


def require_hash(folder: int, name: str, path: str, expected: str) -> os.stat_result:
    """Return the status of a file whose present bytes have the expected hash.

    Raises:
        ToolFailed: `conflict` where they have another.
        FileNotFoundError: Nothing stands there.
    """
    found = present_hash(folder, name, path)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if found[0] != expected:
        raise changed(path)
    return found[1]


def require_nothing(folder: int, name: str, path: str) -> None:
    """Refuse where anything stands under a name.

    Raises:
        ToolFailed: `conflict`.
    """
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    raise exists(path)


def write_new(folder: int, name: str, path: str, chunks: Iterable[bytes]) -> str:
    """Make a file where nothing stands and return its hash."""
    require_nothing(folder, name, path)
    with _written(folder, chunks, None) as written:
        written.place_new(name)
    return written.after


def write_over(folder: int, name: str, path: str, chunks: Iterable[bytes], expected: str) -> str:
    """Put other bytes in the place of the expected ones and return their hash."""
    status = require_hash(folder, name, path, expected)
    _require_write_right(folder, name, path)
    with _written(folder, chunks, status) as written:
        # Compared as late as can be: whatever was saved while the new bytes went to disk is not lost.
        require_hash(folder, name, path, expected)
        written.place_over(name)
    return written.after


def write_back(folder: int, name: str, path: str, blob: bytes, mode: int) -> tuple[str | None, str]:
    """Put a file's earlier bytes and mode back over whatever file stands there; return both hashes."""
    found = present_hash(folder, name, path)
    with _written(folder, [blob], found[1] if found else None, mode) as written:
        written.place_over(name)
    return (found[0] if found else None), written.after


def _require_write_right(folder: int, name: str, path: str) -> None:
    # A rename asks the directory's leave, not the file's; a read-only file is meant to stay as it is.
    effective = os.access in os.supports_effective_ids
    if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=effective):
        raise ToolFailed("permission", f"{path} is read-only", "change its mode first if it should be written")


@define(eq=False, repr=False)
class _Written:
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
            self._link(temporary := temporary_name())
            self.temporary = temporary
        os.rename(self.temporary, name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        self.temporary = ""

    def _link(self, name: str) -> None:
        # Never made over something; what is linked has no name until now.
        os.link(f"/proc/self/fd/{self.descriptor}", name, dst_dir_fd=self.folder, follow_symlinks=True)

    def close(self) -> None:
        """Let go of it; a temporary name goes, too."""
        os.close(self.descriptor)
        if self.temporary:
            with suppress(FileNotFoundError):
                os.unlink(self.temporary, dir_fd=self.folder)


@contextmanager
def _written(
    folder: int, chunks: Iterable[bytes], like: os.stat_result | None, mode: int | None = None
) -> Iterator[_Written]:
    """Yield a file that holds the bytes and is on disk, without a name if the file system can do that.

    Its mode is the given one, else that of the file it is to be like, else that of any new file.
    """
    mode = like.st_mode if mode is None and like is not None else mode
    written = _begin(folder, 0o666 if mode is None else 0o600)
    try:
        _fill(written.descriptor, chunks)
        if like is not None:
            give_to_owner_of(like, written.descriptor)
        if mode is not None:
            os.fchmod(written.descriptor, stat.S_IMODE(mode))
        os.fsync(written.descriptor)
        written.after = digest_of(written.descriptor)
        yield written
    finally:
        written.close()


def _begin(folder: int, mode: int) -> _Written:
    """Open a file without a name; where the system has none, or no way to name it later, one with a temporary name."""
    if _UNNAMED and os.path.isdir("/proc/self/fd"):
        try:
            return _Written(folder, os.open(".", os.O_RDWR | _UNNAMED | os.O_CLOEXEC, mode, dir_fd=folder), "")
        except OSError as error:
            if error.errno not in _NO_UNNAMED:
                raise
    name = temporary_name()
    return _Written(folder, os.open(name, _CREATE, mode, dir_fd=folder), name)


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
