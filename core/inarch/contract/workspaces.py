"""Port of workspaces: safe files and processes under one root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from attrs import Factory

from inarch.contract.files import FileBytes, FileChange, FileStat, FileState, SearchHits, Survey, Walk
from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    import threading

    from inarch.contract.processes import Confinement, Ran, Rights


class Workspace(Protocol):
    """Port of safe files and processes under one root.

    Paths are relative with `/` separators; every failure is a `ToolFailed`. Methods are synchronous and may be called
    from several threads at once. `inarch.capabilities` has the optional members.
    """

    @property
    def root(self) -> str:
        """The root's absolute path, for messages only."""

    def stat(self, path: str) -> FileStat | None:
        """Return the state of `path` without following a link at its end, or None if it does not exist."""

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return the bytes of a regular file. `hash` is set when the whole file was read."""

    def digest(self, path: str) -> str:
        """Return the hash of a whole regular file, however big, in bounded memory."""

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is `expected_hash` (None: it must not exist)."""

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file whose present hash is `expected_hash`."""

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file whose present hash is `expected_hash` to a path that does not exist."""

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Restore an earlier state of a file: its bytes and its mode."""

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return the entries of a directory by name, including ignored files and links; not recursive."""

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the files that match a glob, sorted, without git-ignored ones and without following links."""

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines that match a regular expression, within a time limit."""

    def run(
        self,
        argv: Sequence[str],
        rights: Rights,
        *,
        cwd: str = ".",
        stdin: bytes = b"",
        timeout_s: float = 30.0,
        merged: bool = False,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Ran:
        """Run a program without a shell, confined to its rights, and return its result.

        The program and every process it started are gone when this returns.

        Args:
            argv: The program, a name of the fixed table or an absolute path, and its arguments.
            rights: Its rights.
            cwd: The directory it starts in.
            stdin: Its standard input.
            timeout_s: Seconds after which it is killed.
            merged: Whether to merge its standard error into its output.
            on_output: Called with each piece of output as it arrives, in the calling thread.
            cancelled: Event that kills it when set.

        Raises:
            ToolFailed: It cannot be started, or not as well confined as required.
            Cancelled: `cancelled` was set; the program is gone.
        """

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""

    def close(self) -> None:
        """Stop running programs and close descriptors; may be called twice."""


@runtime_checkable
class Restorable(Protocol):
    """Optional methods of a workspace that let Inarch detect changes by commands and undo changes."""

    def survey(self, limit: int) -> Survey:
        """Return the paths below the root that undo covers, at most about `limit`, and the others."""

    def link_target(self, path: str) -> bytes:
        """Return the unresolved target of a symbolic link."""

    def restore_all(self, states: Sequence[FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Set every path to its given state or, if one cannot be set, leave all unchanged.

        Links are never followed; they are created and removed as themselves. A folder that is to be removed and is not
        empty stays; the paths of those are returned. Leftovers of an interrupted attempt beside these paths, or beside
        those in `near`, are removed.

        Raises:
            ToolFailed: `conflict` if a path is not in its expected state; nothing has changed.
        """


@frozen
class WorkspaceSpec:
    """Kind of workspace that a profile can name: `open(root)` creates one."""

    name: str
    open: Callable[[str], Workspace]


@frozen
class Trial:
    """Dry run of a call: what it would change, seen in a copy of the workspace.

    Args:
        lines: Lines for the user; not escaped.
        drop: Discards what the dry run holds. May be called twice.
        applies: Whether an approval of the call applies exactly this. Otherwise the call runs again.
        data: The same as plain data.
    """

    lines: tuple[str, ...]
    drop: Callable[[], object]
    applies: bool = False
    data: Mapping[str, Any] = Factory(dict)
