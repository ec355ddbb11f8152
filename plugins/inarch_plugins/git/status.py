"""Parser for the output of `git status --porcelain=v2 --branch -z`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from inarch_lib.staging import is_leftover
from inarch_plugins.git.invocation import text

_CHANGES = {
    "M": "modified",
    "T": "type changed",
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
}
_CONFLICTS = {
    "DD": "both deleted",
    "AU": "added by us",
    "UD": "deleted by them",
    "UA": "added by them",
    "DU": "deleted by us",
    "AA": "both added",
    "UU": "both modified",
}


@define
class Status:
    """Branch and differences from its last commit.

    Args:
        head: The branch, None if none is checked out.
        commit: The last commit, None if there is none.
        staged: The index against the last commit; each with `path` and `change`.
        changed: The files against the index; each with `path` and `change`.
        untracked: Untracked paths; a directory ends with `/`.
        conflicted: Unresolved conflicts of a merge; each with `path` and `change`.
        names: Every path as its real bytes, from the working tree's top.
    """

    head: str | None = None
    commit: str | None = None
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None
    staged: list[dict[str, Any]] = field(factory=list)
    changed: list[dict[str, Any]] = field(factory=list)
    untracked: list[str] = field(factory=list)
    conflicted: list[dict[str, Any]] = field(factory=list)
    names: list[bytes] = field(factory=list)

    @classmethod
    def parse(cls, printed: bytes, prefix: str) -> Status:
        """Parse git's output; paths become relative to `prefix`, a folder with a slash at its end."""
        status, entries = cls(), iter(printed.split(b"\0"))
        for entry in entries:
            kind, _, rest = entry.partition(b" ")
            if kind == b"#":
                status._header(*text(rest).split(" "))
            elif kind:
                status._entry(kind, rest, entries, prefix)
        return status

    def _header(self, key: str, *values: str) -> None:
        value = " ".join(values)
        if key == "branch.oid":
            self.commit = None if value == "(initial)" else value
        elif key == "branch.head":
            self.head = None if value == "(detached)" else value
        elif key == "branch.upstream":
            self.upstream = value
        elif key == "branch.ab":
            self.ahead, self.behind = (abs(int(number)) for number in values)

    def _entry(self, kind: bytes, rest: bytes, entries: Iterator[bytes], prefix: str) -> None:
        before = {b"1": 7, b"2": 8, b"u": 9}.get(kind, 0)  # fields before the path
        *fields, name = rest.split(b" ", before)
        if kind == b"?" and is_leftover(posixpath.basename(text(name).rstrip("/"))):
            return
        self.names.append(name)
        path = relative(name, prefix)
        if kind == b"?":
            self.untracked.append(path)
            return
        both = text(fields[0])
        if kind == b"u":
            self.conflicted.append({"path": path, "change": _CONFLICTS.get(both, both)})
            return
        old = {"old_path": relative(next(entries, b""), prefix)} if kind == b"2" else {}
        for letter, places in zip(both, (self.staged, self.changed), strict=False):
            if letter != ".":
                renamed = old if letter in "RC" else {}
                places.append({"path": path, "change": _CHANGES.get(letter, letter), **renamed})


def relative(name: bytes, prefix: str) -> str:
    """Convert a path from the working tree's top to one relative to the folder `prefix`."""
    path = text(name)
    if path.startswith(prefix):
        return path.removeprefix(prefix)
    return posixpath.relpath(path, prefix)
