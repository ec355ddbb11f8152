"""What plugins add to sessions: an object for each, made when asked for, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.stores import ContextStore
from inarch.contract.workspaces import Workspace

if TYPE_CHECKING:
    from inarch.contract.undo_records import PutBack, Standing  # most sessions undo nothing


class SessionAccess(Protocol):
    """Session as its extensions see it, open or stored."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def store(self) -> ContextStore:
        """Where its events are, and the bytes that they name."""

    @property
    def workspace(self) -> Workspace:
        """The files of the session's directory."""

    @property
    def runners(self) -> Collection[str]:
        """The tools that run command lines, of whose doings not all is recorded."""

    def alone(self, action: str) -> AbstractContextManager[None]:
        """Keep turns from running meanwhile; everything recorded before is in the store.

        Raises:
            UsageError: A turn is running, or somebody else is alone.
        """

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`.

        Raises:
            ValueError: The plugin declares no such kind, or the data is not as its schema says.
            StoreError: It could not be kept, and the journal is required.
        """

    def standing(self, path: str) -> Standing:
        """Return what stands at a path now; the hash of a link is that of its target.

        Raises:
            ToolFailed: Nobody can tell.
        """

    def present(self, path: str, ref: str) -> bytes:
        """Return the bytes that stand at a path now, of a link its target.

        Raises:
            ToolFailed: They are others than those of this hash, or more than are kept.
        """

    def put_back(
        self,
        action: Literal["undo", "redo"],
        calls: Sequence[str],
        turns: Sequence[str],
        files: Sequence[PutBack],
        also: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Change files, all of them or none, and record it as `changes.undone`; what stood there can be put back again.

        Args:
            action: Which of both it counts as.
            calls: The calls whose changes it is about.
            turns: The turns that those belong to.
            files: How to leave paths that change.
            also: Further paths that the plan looked at.

        Returns:
            Directories that stay, because there is something in them.

        Raises:
            ToolFailed: Something has changed meanwhile, or can't be written; nothing was.
            StoreError: Nothing can be kept and the journal is required, or the files were put back and that could not
                be recorded.
        """


@frozen
class SessionExtension:
    """Plugin's addition to sessions. `open` makes the object that `Session.extension(name)` returns.

    Args:
        name: Its name.
        help: What it adds, in a line.
        open: Given a session, returns an object with whatever methods it has.
    """

    name: str
    help: str
    open: Callable[[SessionAccess], Any]
