"""Reading and hashing of regular files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from inarch import FileBytes, FileStat
from inarch_plugins.sandbox_fs.failures import not_a_file

_PIECE = 1 << 20


def digest(data: bytes) -> str:
    """Return the content hash that the workspace uses: the output of `sha256sum`."""
    return hashlib.sha256(data).hexdigest()


def digest_of(descriptor: int) -> str:
    """Return the content hash of an open file, read from its start in pieces."""
    state, offset = hashlib.sha256(), 0
    while piece := os.pread(descriptor, _PIECE, offset):
        state.update(piece)
        offset += len(piece)
    return state.hexdigest()


def pieces(read: Callable[[str, int, int], FileBytes], path: str) -> Iterator[bytes]:
    """Yield a file's bytes through a workspace's `read`, one piece in memory at a time."""
    offset = 0
    while piece := read(path, offset, _PIECE).data:
        yield piece
        offset += len(piece)


def digest_of_pieces(data: Iterable[bytes]) -> str:
    """Return the content hash of bytes given in pieces."""
    state = hashlib.sha256()
    for piece in data:
        state.update(piece)
    return state.hexdigest()


def require_regular(descriptor: int, path: str) -> os.stat_result:
    """Return the status of an open regular file."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path, status.st_mode)
    return status


def read_all(descriptor: int, size: int) -> bytes:
    """Read an open regular file to its end; `size` is its reported size."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    # The file grows, or is longer than one read may be: read until nothing comes.
    pieces = [data]
    while piece := os.read(descriptor, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def read_range(descriptor: int, offset: int, length: int) -> bytes:
    """Read up to `length` bytes from an offset; fewer only at the end of the file."""
    pieces, left = [], length
    while left > 0 and (piece := os.pread(descriptor, left, offset)):
        pieces.append(piece)
        offset += len(piece)
        left -= len(piece)
    return b"".join(pieces)


Kind = Literal["file", "directory", "link", "other"]
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def file_stat(path: str, status: os.stat_result) -> FileStat:
    """Return the record of a status."""
    kind: Kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
    times = status.st_mtime_ns, status.st_ctime_ns
    return FileStat(path, kind, status.st_size, stat.S_IMODE(status.st_mode), *times, status.st_ino)
