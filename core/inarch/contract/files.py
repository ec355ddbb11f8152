"""Records of a workspace: what stands at a path, its bytes, what changed, what was found."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from inarch.contract.frozen import frozen


@frozen
class FileStat:
    """Kind, size and times of a path. `kind` is `file`, `directory`, `link` or `other`; times in nanoseconds."""

    path: str
    kind: Literal["file", "directory", "link", "other"]
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0


@frozen
class FileBytes:
    """Bytes of a file. `hash` is of the whole file ("" when it was not read whole)."""

    path: str
    data: bytes
    hash: str
    size: int
    truncated: bool = False


@frozen
class FileChange:
    """One change that a workspace made. A hash is None if there was, or is, no file."""

    path: str
    before: str | None
    after: str | None
    new_path: str | None = None


@frozen
class ProposedFile:
    """Text that a call would write to a file. `before` is its present text, None if there is no file.

    Where `argument` names one of the call's, that is the text, and there is no file: `path` is a name for editors.
    """

    path: str
    before: str | None
    after: str
    argument: str = ""

    def rewritten(self, arguments: Mapping[str, Any], text: str) -> dict[str, Any] | None:
        """Return the arguments with which the same tool leaves this text in the file; None where it can't."""
        if self.argument:
            return {**arguments, self.argument: text}
        if "content" in arguments:
            return {**arguments, "content": text}
        hunk = _hunk(self.before or "", text)
        if hunk is None:
            return None
        kept = {name: value for name, value in arguments.items() if name != "replace_all"}
        return {**kept, "search": hunk[0], "replace": hunk[1]}


def _hunk(before: str, after: str) -> tuple[str, str] | None:
    """Return the one replacement of whole lines that makes `after` of `before`, its text being there once."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    most = min(len(old), len(new))
    head = next((line for line in range(most) if old[line] != new[line]), most)
    tail = next((line for line in range(most - head) if old[-1 - line] != new[-1 - line]), most - head)
    while not _is_unique(before, search := "".join(old[head : len(old) - tail])):
        if not head and not tail:
            return None
        head, tail = max(head - 1, 0), max(tail - 1, 0)
    return search, "".join(new[head : len(new) - tail])


def _is_unique(text: str, part: str) -> bool:
    """Whether a text is there once, places that overlap counted."""
    first = text.find(part)
    return bool(part) and first >= 0 and text.find(part, first + 1) < 0


@frozen
class Walk:
    """Sorted files that a walk found. `truncated` when the limit cut it, `notes` name skipped files."""

    paths: tuple[str, ...]
    truncated: bool = False
    notes: tuple[str, ...] = ()


@frozen
class SearchHit:
    """Matching line. `line` counts from 1."""

    path: str
    line: int
    text: str


@frozen
class SearchHits:
    """Matching lines, in path and line order."""

    hits: tuple[SearchHit, ...]
    truncated: bool = False
    notes: tuple[str, ...] = ()


@frozen
class Survey:
    """Everything below the root, by path, without what Git ignores. Links are not followed.

    `passed` names the folders that were passed over; `truncated` says that there is more than was asked for;
    `unnameable` counts what was left out because its name is not UTF-8.
    """

    entries: tuple[FileStat, ...]
    passed: tuple[str, ...] = ()
    truncated: bool = False
    unnameable: int = 0


@frozen
class FileState:
    """Wanted state of a path, with the state that it must have before.

    Args:
        path: The path.
        mode: The whole mode that it will have, with the type in it; 0: nothing is to stand there.
        data: A file's bytes or a link's target, or what returns them.
        expected: SHA-256 of the bytes that stand there now; None where there is nothing, or a directory.
        expected_mode: The whole mode of what stands there now, 0 for nothing.
    """

    path: str
    mode: int
    data: bytes | Callable[[], bytes] = b""
    expected: str | None = None
    expected_mode: int = 0


_TYPES = {"file": stat.S_IFREG, "directory": stat.S_IFDIR, "link": stat.S_IFLNK}


def whole_mode(entry: FileStat | None) -> int:
    """Return the mode with the type in it, 0 where nothing stands; links have no permissions of their own."""
    if entry is None:
        return 0
    return stat.S_IFLNK | 0o777 if entry.kind == "link" else _TYPES.get(entry.kind, 0) | entry.mode


class KeptFolder(Protocol):
    """Plugin's files in the user's configuration folder or in a trusted project's `.inarch`.

    A name is relative to the folder, such as `memory.md` or `paths/login.md`; the configuration itself is out of
    bounds. Everything fails with `ToolFailed`: `permission` where the project is not trusted as it stands now.
    """

    def place(self, name: str) -> str:
        """Return a file's path as messages show it."""

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the files there are below `folder`, sorted."""

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it is not there."""

    def change(self, name: str, edit: Callable[[bytes | None], bytes | None]) -> None:
        """Give `edit` the present bytes and put what it returns in their place, whole or not at all.

        Other processes wait meanwhile, so nothing of theirs is lost. Equal bytes are not written; None removes the
        file. A project stays trusted over such a change.
        """
