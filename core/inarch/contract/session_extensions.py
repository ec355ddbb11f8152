"""Extensions of sessions by plugins: objects created on request, and the access they have."""

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
    """Access of extensions to a session, open or only stored."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def store(self) -> ContextStore:
        """The store of its events and of the bytes that they name."""

    @property
    def workspace(self) -> Workspace:
        """The files of the session's directory."""

    @property
    def runners(self) -> Collection[str]:
        """Tools that run command lines, whose effects are not all recorded."""

    def alone(self, action: str) -> AbstractContextManager[None]:
        """Keep turns from running meanwhile; everything recorded before is in the store.

        Raises:
            UsageError: A turn is running, or another extension has exclusive access.
        """

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares with `inarch_events`.

        Raises:
            ValueError: The plugin declares no such kind, or the data does not match its schema.
            StoreError: It could not be stored, and the journal is required.
        """

    def standing(self, path: str) -> Standing:
        """Return the present state of a path; the hash of a link is that of its target.

        Raises:
            ToolFailed: The state cannot be read.
        """

    def present(self, path: str, ref: str) -> bytes:
        """Return the present bytes of a path, of a link its target.

        Raises:
            ToolFailed: They do not have this hash, or are more than Inarch stores.
        """

    def put_back(
        self,
        action: Literal["undo", "redo"],
        calls: Sequence[str],
        turns: Sequence[str],
        files: Sequence[PutBack],
        also: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Change files, all of them or none, and record it as `changes.undone`; a redo can restore the old state.

        Args:
            action: The kind of change it counts as.
            calls: The calls whose changes it is about.
            turns: Their turns.
            files: New states of the paths that change.
            also: Further paths that the plan read.

        Returns:
            Directories that stay because they are not empty.

        Raises:
            ToolFailed: Something has changed meanwhile, or cannot be written; nothing was.
            StoreError: Nothing can be stored and the journal is required, or the files were changed and that could not
                be recorded.
        """


@frozen
class SessionExtension:
    """Addition of a plugin to sessions: `open` creates the object that `Session.extension(name)` returns.

    Args:
        name: Its name.
        help: Its purpose, in one line.
        open: Receives a session and returns an object with any methods.
    """

    name: str
    help: str
    open: Callable[[SessionAccess], Any]
