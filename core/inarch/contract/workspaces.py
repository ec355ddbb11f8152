"""The workspace port: safe files and processes under one root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from inarch.contract.files import FileBytes, FileChange, FileStat, FileState, SearchHits, Survey, Walk
from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    import threading

    from inarch.contract.processes import Confinement, Ran, Rights


class Workspace(Protocol):
    """Port: safe files and processes under one root.

    Paths are relative with `/` separators; every failure is a `ToolFailed`.

    Methods are synchronous and may be called from several threads at once. One that can join programs also offers
    `run_piped(parts, *, cwd, timeout_s, merged, on_output, cancelled)`: each of the `Piped` runs with its own rights
    and reads what the one before it writes, and what came of them is the `Ran` of the last that failed. One that has
    folders beside its root has their absolute paths in `added`; `+` and the absolute path is the path of a file there.
    """

    @property
    def root(self) -> str:
        """The root's absolute path, for messages only."""

    def stat(self, path: str) -> FileStat | None:
        """Return what stands at `path` without following a link at its end, or None where there is nothing."""

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return the bytes of a regular file. `hash` is set when the whole file was read."""

    def digest(self, path: str) -> str:
        """Return the hash of a whole regular file, however big, in bounded memory."""

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file atomically if its present hash is `expected_hash` (None: it must not exist)."""

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file whose present hash is `expected_hash`."""

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file whose present hash is `expected_hash` to a path where nothing stands."""

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Put a file back as it was: its bytes and its mode."""

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return what stands in a directory, by name, ignored things and links included; nothing below it."""

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
        """Run a program without a shell, confined to its rights, and return what came of it.

        The program and every process it started are gone when this returns.

        Args:
            argv: The program, a name of the fixed table or an absolute path, and its arguments.
            rights: What it may do.
            cwd: The directory it starts in.
            stdin: What it reads from its standard input.
            timeout_s: Seconds after which it is killed.
            merged: Whether its standard error goes where its output goes.
            on_output: Called with each piece of output as it comes, in the calling thread.
            cancelled: Killed when this is set.

        Raises:
            ToolFailed: It can't be started, or not as well confined as is required.
            Cancelled: `cancelled` was set; the program is gone.
        """

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""

    def close(self) -> None:
        """Stop what still runs and let go of descriptors; may be called twice."""


@runtime_checkable
class Restorable(Protocol):
    """What a workspace may offer beyond `Workspace`; with it, what commands changed is known and changes are undone."""

    def survey(self, limit: int) -> Survey:
        """Return what stands below the root, ignored things and bulky folders left out."""

    def link_target(self, path: str) -> bytes:
        """Return what a symbolic link points to, as it stands in it."""

    def restore_all(self, states: Sequence[FileState], near: Sequence[str] = ()) -> tuple[str, ...]:
        """Leave every path as its state says, or, where one can't be, all of them as they are.

        Links are never followed, made or removed but as themselves. A folder that is to go and isn't empty stays; the
        paths of those that stayed are returned. What an attempt that was cut off left beside these paths, or beside
        those in `near`, is removed.

        Raises:
            ToolFailed: `conflict` where something else stands than was expected; nothing has changed.
        """


@frozen
class WorkspaceSpec:
    """Kind of workspace that a profile can name. `open(root)` makes one."""

    name: str
    open: Callable[[str], Workspace]
