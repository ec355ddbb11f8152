"""Changes made by tasks in work trees: both versions of each file, stored until they are merged."""

from __future__ import annotations

import json
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from attrs import frozen

import inarch
from inarch_lib.output.line_matches import split_lines, unified
from inarch_lib.output.line_merge import is_binary
from inarch_lib.staging import write_whole

Side = tuple[bytes | None, int]
"""Bytes and whole mode, or None and 0 if there is no file."""


def patch_of(path: str, before: Side, after: Side) -> Iterator[str]:
    """Yield the lines of the patch from `before` to `after`, with their ends. Invalid UTF-8 becomes surrogates."""
    name = _quoted(path)
    yield f"diff --git {_quoted(path, 'a/')} {_quoted(path, 'b/')}\n"
    if not before[1]:
        yield f"new file mode {_git_mode(after[1])}\n"
    elif not after[1]:
        yield f"deleted file mode {_git_mode(before[1])}\n"
    elif _git_mode(before[1]) != _git_mode(after[1]):
        yield f"old mode {_git_mode(before[1])}\nnew mode {_git_mode(after[1])}\n"
    old, new = before[0] or b"", after[0] or b""
    if old == new:
        return
    if is_binary(old) or is_binary(new):
        yield f"Binary files of {name} differ\n"
        return
    names = _quoted(path, "a/") if before[1] else "/dev/null", _quoted(path, "b/") if after[1] else "/dev/null"
    for line in unified(_text_lines(old), _text_lines(new), names, end="\n"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _text_lines(data: bytes) -> list[str]:
    return [line.decode("utf-8", "surrogateescape") for line in split_lines(data)]


def _git_mode(mode: int) -> str:
    """Return Git's mode for a link, a program or any other file."""
    return "120000" if stat.S_ISLNK(mode) else "100755" if mode & 0o111 else "100644"


def _quoted(path: str, before: str = "") -> str:
    """Return a path as Git writes it, quoted if it has characters that would break the line."""
    text = before + path
    if not any(character < " " or character in '"\\\x7f' for character in text):
        return text
    inner = "".join(
        f"\\{one}" if one in '"\\' else f"\\{ord(one):03o}" if one < " " or one == "\x7f" else one for one in text
    )
    return f'"{inner}"'


FOLDER = "changes"
"""Folder in the plugin's state for stored changes."""
RECORD, PATCH, MERGED, BYTES = "change.json", "change.patch", "merged", "bytes"
_OURS = (".git", ".inarch")
VERSION = 1
Sides = tuple[inarch.Standing, inarch.Standing]
"""A path's state when the task began, and as the agent left it."""


@frozen
class Change:
    """A change that is stored in a folder.

    Args:
        roots: The directories into which it can be merged.
        session: The agent's session; empty if unknown.
        files: Both sides, by path.
    """

    folder: Path
    agent: str
    task: str
    roots: tuple[str, ...]
    session: str
    files: Mapping[str, Sides]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def patch(self) -> Path:
        """The path of the patch file."""
        return self.folder / PATCH

    @property
    def merging(self) -> tuple[str, ...]:
        """The paths that can be merged, without the files of Git and Inarch."""
        return tuple(path for path in self.files if not set(path.casefold().split("/")) & {*_OURS})

    @property
    def is_merged(self) -> bool:
        """Whether every path that can be merged has been."""
        return set(self.merging) <= set(_lines(self.folder / MERGED))

    def data(self, ref: str) -> bytes:
        """Return the bytes of a hash."""
        return (self.folder / BYTES / ref).read_bytes()

    def note_merged(self, paths: Collection[str]) -> None:
        """Record that paths have been merged. A failed write is ignored, because the merge is done."""
        try:
            with (self.folder / MERGED).open("a") as file:
                file.writelines(f"{json.dumps(path)}\n" for path in paths)
        except OSError:
            return

    def text(self, paths: Collection[str]) -> str:
        """Return the change of these paths as a patch."""
        return "".join(self._texts(paths))

    def _texts(self, paths: Collection[str]) -> Iterator[str]:
        for path in paths:
            base, theirs = self.files[path]
            before, after = (None if one.hash is None else self.data(one.hash) for one in (base, theirs))
            yield from patch_of(path, (before, base.mode), (after, theirs.mode))

    def write(self) -> None:
        """Write record and patch next to the bytes, and sync them to disk."""
        sides = {path: [list(one) for one in both] for path, both in self.files.items()}
        record = {
            "version": VERSION, "agent": self.agent, "task": self.task, "roots": self.roots, "session": self.session,
            "files": sides,
        }  # fmt: skip
        for name, text in ((PATCH, self.text(self.files)), (RECORD, json.dumps(record))):
            write_whole(self.folder / name, text.encode("utf-8", "surrogateescape"))


def read_change(state: Path, name: str) -> Change:
    """Return a stored change.

    Raises:
        ToolFailed: No change has this name.
    """
    folder = state / FOLDER / name
    if not name.isalnum() or not folder.is_dir():
        raise inarch.ToolFailed("not_found", f"there is no change {name!r}", "a result of `task` names its change")
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if record["version"] > VERSION:
            raise inarch.ToolFailed("execution", f"{folder} was stored by a newer Inarch", "upgrade Inarch")
        files = {
            path: (inarch.Standing(*base), inarch.Standing(*theirs)) for path, (base, theirs) in record["files"].items()
        }
        return Change(folder, record["agent"], record["task"], tuple(record["roots"]), record["session"], files)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise inarch.ToolFailed("execution", f"{folder / RECORD} can't be read: {error}") from error


def kept_changes(state: Path, root: str) -> list[Change]:
    """Return the unmerged changes of a directory, oldest first."""
    found: list[tuple[float, Change]] = []
    for folder in (state / FOLDER).glob("*/"):
        try:
            change = read_change(state, folder.name)
            made = folder.stat().st_mtime
        except (inarch.ToolFailed, OSError):
            continue
        if root in change.roots and not change.is_merged:
            found.append((made, change))
    return [change for _, change in sorted(found, key=lambda one: (one[0], one[1].name))]


def is_link(mode: int) -> bool:
    """Return whether a whole mode is that of a link."""
    return stat.S_ISLNK(mode)


def _lines(path: Path) -> list[str]:
    try:
        return [str(json.loads(line)) for line in path.read_text().splitlines()]
    except (OSError, ValueError):
        return []
