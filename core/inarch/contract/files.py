"""Records of a workspace: the state of a path, its bytes, changes and search results."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from inarch.contract.frozen import frozen


@frozen
class FileStat:
    """State of a path. `kind` is `file`, `directory`, `link` or `other`; times are in nanoseconds. A
    survey sets `ignored` if Git ignores it."""

    path: str
    kind: Literal["file", "directory", "link", "other"]
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    ignored: bool = False


@frozen
class FileBytes:
    """Bytes of a file; `hash` is of the whole file ("" if it was not read whole)."""

    path: str
    data: bytes
    hash: str
    size: int
    truncated: bool = False


@frozen
class FileChange:
    """Change that a workspace made; a hash is None if there was, or is, no file."""

    path: str
    before: str | None
    after: str | None
    new_path: str | None = None


@frozen
class ProposedFile:
    """Text that a call would leave in a file; `before` is its present one, None for a new file.

    If `argument` names an argument of the call, the text is that argument and there is no file; `path` is then a name
    for editors.
    """

    path: str
    before: str | None
    after: str
    argument: str = ""

    def rewritten(self, arguments: Mapping[str, Any], text: str) -> dict[str, Any] | None:
        """Return the arguments with which the same tool leaves this text in the file; None if that is impossible."""
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
    """Return the single replacement of whole lines that turns `before` into `after`; its text occurs once."""
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
    """Return whether a text occurs exactly once, counting overlapping occurrences."""
    first = text.find(part)
    return bool(part) and first >= 0 and text.find(part, first + 1) < 0


@frozen
class Walk:
    """Files found by a walk, sorted; `truncated` if the limit cut it, `notes` say what was skipped."""

    paths: tuple[str, ...]
    truncated: bool = False
    notes: tuple[str, ...] = ()


@frozen
class SearchHit:
    """Matching line; `line` counts from 1."""

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
    """All paths below the root that undo covers, and caches with kind `other`; links are not followed.

    `passed` names skipped folders, with a `/` at the end. `truncated` says that there are more paths than the limit.
    `unnameable` counts paths left out because their names are not UTF-8. `uncovered` are paths that undo does not cover
    although they are not caches; `.` means everything.
    """

    entries: tuple[FileStat, ...]
    passed: tuple[str, ...] = ()
    truncated: bool = False
    unnameable: int = 0
    uncovered: Sequence[str] = ()


@frozen
class FileState:
    """State to give a path, and the state that it must have before.

    Args:
        path: The path.
        mode: The new whole mode, including the type; 0 removes the path.
        data: A file's bytes or a link's target, or a function that returns them.
        expected: SHA-256 of the present bytes; None if there are none, or for a directory.
        expected_mode: The present whole mode, 0 if the path does not exist.
    """

    path: str
    mode: int
    data: bytes | Callable[[], bytes] = b""
    expected: str | None = None
    expected_mode: int = 0


_TYPES = {"file": stat.S_IFREG, "directory": stat.S_IFDIR, "link": stat.S_IFLNK}


def whole_mode(entry: FileStat | None) -> int:
    """Return the mode including the type, 0 for a missing path; links have no permissions of their own."""
    if entry is None:
        return 0
    return stat.S_IFLNK | 0o777 if entry.kind == "link" else _TYPES.get(entry.kind, 0) | entry.mode


class KeptFolder(Protocol):
    """Files that a plugin stores in the user's configuration folder or in a trusted project's `.inarch`.

    A name is relative to the folder, such as `memory.md` or `paths/login.md`. The configuration itself is off limits.
    Failures raise `ToolFailed`, with `permission` if the project is not trusted in its present state.
    """

    def place(self, name: str) -> str:
        """Return a file's path as messages show it."""

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the sorted names of the files below `folder`."""

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it does not exist."""

    def change(self, name: str, edit: Callable[[bytes | None], bytes | None]) -> None:
        """Replace a file's bytes by what `edit` returns for them, completely or not at all.

        Other processes wait meanwhile, so their changes are not lost. Equal bytes are not written; None removes the
        file. A project stays trusted after such a change.
        """
