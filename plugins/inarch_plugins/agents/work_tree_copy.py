"""Copy of a workspace for a work tree, with uncommitted changes, and the state of each file at the start."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import inarch
from inarch_lib.staging import make_folder, opened, staged

MOST_FILES = 200_000
PIECE = 8 << 20
"""Most bytes read at once."""
GIT = ".git"


class Began(NamedTuple):
    """State of a file when the work tree was made, and the file status that shows later changes."""

    standing: inarch.Standing
    size: int
    modified_ns: int
    changed_ns: int

    def is_untouched(self, found: os.stat_result) -> bool:
        """Return whether the file has not been written since."""
        same = (found.st_size, found.st_mtime_ns, found.st_ctime_ns) == self[1:]
        return same and _mode(found.st_mode) == self.standing.mode


class Copying:
    """Copier of workspace files to a folder. It also stores their bytes by hash."""

    def __init__(self, workspace: inarch.Workspace, place: Path, kept: Path) -> None:
        self._workspace, self._place, self._kept = workspace, place, kept
        self.files: dict[str, Began] = {}
        self._folders: dict[str, int] = {}

    def copy(self, more: Iterable[str]) -> None:
        """Copy all files that Git does not ignore, and more files by their paths.

        Raises:
            ToolFailed: This kind of workspace cannot be copied, or it is too big.
            OSError: A file cannot be written.
        """
        survey = getattr(self._workspace, "survey", None)
        if survey is None:
            raise inarch.ToolFailed("execution", "this kind of workspace can't be copied", "use another agent")
        found: inarch.Survey = survey(MOST_FILES)
        if found.truncated:
            raise inarch.ToolFailed(
                "execution", f"there are more than {MOST_FILES:,} files, too many for a work tree",
                "let Git ignore generated files, or use an agent without a work tree",
            )  # fmt: skip
        for entry in sorted(found.entries, key=lambda one: one.path):
            self._take(entry)
        for path in more:
            if path not in self.files and (one := self._stat(path)) is not None:
                self._take(one)
        for path, mode in sorted(self._folders.items(), reverse=True):  # last, because a mode may forbid writing
            (self._place / path).chmod(mode)

    def _stat(self, path: str) -> inarch.FileStat | None:
        try:
            return self._workspace.stat(path)
        except inarch.ToolFailed:
            return None

    def _take(self, entry: inarch.FileStat) -> None:
        path = entry.path
        if GIT in path.casefold().split("/"):
            return
        target = self._place / path
        if entry.kind == "directory":
            target.mkdir(parents=True, exist_ok=True)
            self._folders[path] = entry.mode
            return
        try:
            if entry.kind == "link":
                self._link(path, target)
            elif entry.kind == "file":
                self._file(entry, target)
        except inarch.ToolFailed as failure:
            if failure.code not in ("permission", "not_found"):  # denied by a rule, or removed meanwhile
                raise
            target.unlink(missing_ok=True)

    def _link(self, path: str, target: Path) -> None:
        workspace: Any = self._workspace
        data: bytes = workspace.link_target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(os.fsdecode(data))
        self._note(path, target, keep(self._kept, [data]))

    def _file(self, entry: inarch.FileStat, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        hashed, offset = sha256(), 0
        with target.open("xb") as file:
            while piece := self._workspace.read(entry.path, offset, PIECE).data:
                file.write(piece)
                hashed.update(piece)
                offset += len(piece)
                if len(piece) < PIECE:
                    break
            os.fchmod(file.fileno(), entry.mode)
        os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns))  # build tools compare times
        ref = hashed.hexdigest()
        if not (self._kept / ref).exists():
            with target.open("rb") as file:
                keep(self._kept, pieces_of(file))
        self._note(entry.path, target, ref)

    def _note(self, path: str, target: Path, ref: str) -> None:
        found = target.lstat()
        self.files[path] = Began(
            inarch.Standing(ref, _mode(found.st_mode)), found.st_size, found.st_mtime_ns, found.st_ctime_ns
        )


def keep(folder: Path, pieces: Iterable[bytes], safely: bool = False) -> str:
    """Store bytes atomically in a folder under their SHA-256, and return the hash."""
    make_folder(folder)
    hashed = sha256()

    def seen() -> Iterator[bytes]:
        for piece in pieces:
            hashed.update(piece)
            yield piece

    with opened(folder) as inner, staged(inner, seen(), sync=safely) as file:
        file.place_over(hashed.hexdigest())
    return hashed.hexdigest()


def present(root: Path, path: str) -> tuple[inarch.Standing, int]:
    """Return a path's state and a descriptor of its bytes, or -1 if it is not a file. Links are not followed.

    The hash of a file is not computed. A link's is that of its target.
    """
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *above, name = path.split("/")
        for part in above:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = inner
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(os.readlink(name, dir_fd=folder))
            return inarch.Standing(sha256(target).hexdigest(), _mode(found.st_mode)), -1
        if not stat.S_ISREG(found.st_mode):
            return inarch.Standing(None, found.st_mode), -1
        return inarch.Standing(None, found.st_mode), os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        return inarch.Standing(), -1
    finally:
        os.close(folder)


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file's bytes in pieces."""
    while piece := file.read(PIECE):
        yield piece


def _mode(mode: int) -> int:
    """Return a whole mode for comparison. Links have no permissions of their own."""
    return stat.S_IFLNK | 0o777 if stat.S_ISLNK(mode) else mode
