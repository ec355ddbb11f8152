"""The workspace port: safe files under one root."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from attrs import frozen

from inarch.contract.files import FileBytes, FileChange, FileStat, SearchHits, Walk


class Workspace(Protocol):
    """Safe files under one root. Paths are relative with `/` separators; every failure is a `ToolFailed`.

    Methods are synchronous and may be called from several threads at once.
    """

    @property
    def root(self) -> str:
        """The root's absolute path, for messages only."""
        ...

    def stat(self, path: str) -> FileStat | None:
        """Return what stands at `path` without following a link at its end, or None where there is nothing."""
        ...

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return the bytes of a regular file. `hash` is set when the whole file was read."""
        ...

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is `expected_hash` (None: it must not exist)."""
        ...

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file whose present hash is `expected_hash`."""
        ...

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file whose present hash is `expected_hash` to a path where nothing stands."""
        ...

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Put a file back as it was: its bytes and its mode."""
        ...

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return what stands in a directory, by name, ignored things and links included; nothing below it."""
        ...

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the files that match a glob, sorted, without git-ignored ones and without following links."""
        ...

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines that match a regular expression, within a time limit."""
        ...

    def close(self) -> None:
        """Let go of descriptors; may be called twice."""
        ...


@frozen
class WorkspaceSpec:
    """A kind of workspace that a profile can name: `open(root)` makes one."""

    name: str
    open: Callable[[str], Workspace]
