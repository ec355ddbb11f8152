"""Port of the store of events and bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.records import SessionInfo

if TYPE_CHECKING:
    from inarch.contract.events import Event


class ContextStore(Protocol):
    """Port of a store of events and blobs.

    When `append` has returned, the operating system has the data (safe from kill -9). When `sync` has returned, it is
    on disk (safe from power loss). Failures are `StoreError`s. `inarch.capabilities` has the optional members.
    """

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Store events; all or none of them.

        A session that was deleted, here or by another process, accepts only a new beginning.

        Raises:
            StoreError: `missing` for that, `busy` if another event has the number of one, or another reason.
        """

    async def sync(self) -> None:
        """Return when everything appended is on disk."""

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order; damaged ones are skipped and reported."""

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Store bytes and return their reference (a content hash)."""

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""

    def close(self) -> None:
        """Close files; may be called twice."""


@frozen
class StoreSpec:
    """Kind of store that a profile can name: `open(path)` opens or creates one at a path (a file or a folder)."""

    name: str
    open: Callable[[str], ContextStore]
