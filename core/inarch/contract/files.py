"""Records of a workspace: what stands at a path, its bytes, what changed, what was found."""

from __future__ import annotations

from typing import Literal

from inarch.contract.frozen import frozen


@frozen
class FileStat:
    """What stands at a path. `kind` is `file`, `directory`, `link` or `other`; times in nanoseconds."""

    path: str
    kind: Literal["file", "directory", "link", "other"]
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0


@frozen
class FileBytes:
    """Bytes of a file; `hash` is of the whole file ("" when it was not read whole)."""

    path: str
    data: bytes
    hash: str
    size: int
    truncated: bool = False


@frozen
class FileChange:
    """One change that a workspace made; a hash is None where there was, or is, no file."""

    path: str
    before: str | None
    after: str | None
    new_path: str | None = None


@frozen
class Walk:
    """Files found by a walk, sorted; `truncated` when the limit cut it, `notes` say what was passed over."""

    paths: tuple[str, ...]
    truncated: bool = False
    notes: tuple[str, ...] = ()


@frozen
class SearchHit:
    """A line that matched; `line` counts from 1."""

    path: str
    line: int
    text: str


@frozen
class SearchHits:
    """Lines that matched, in path and line order."""

    hits: tuple[SearchHit, ...]
    truncated: bool = False
    notes: tuple[str, ...] = ()
