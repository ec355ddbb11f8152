"""The store port: events and bytes, kept and read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.records import SessionInfo

if TYPE_CHECKING:
    from inarch.contract.events import Event


class ContextStore(Protocol):
    """Port: stores events and blobs.

    `append` returned means: handed to the operating system (safe from kill -9). `sync` returned means: on disk (safe
    from power loss). Failures are `StoreError`s. One that can read a long session without holding it whole may offer
    `scan(session_id, after=0)`, an iterator over what `load` returns; one that finds the events of some kinds without
    reading the others `scan_kinds(session_id, kinds, after=0)`, an iterator over those of them that are whole.
    `damage`, a list that may grow, may have a sentence for every loss that was found: each is told once. `set_aside`
    may name files of damaged stores that lie beside this one, `only_read` be the error for which it takes nothing,
    where it can still be read.

    `fork(source_id, first, last)` may begin a session with `first`, its first event, and with those of another session
    from the second to `last`, which stay under their numbers (`Event.moved`), and with the bytes that they name: all of
    it or nothing, whatever becomes of the other session. Without it the kernel copies one after the other.

    One may also keep what the kernel derives from events, so that a long session is not read whole for every question:
    `put_snapshot(session_id, name, seq, data)` keeps bytes about the events up to `seq` in the place of those that had
    the name before, `get_snapshot(session_id, name)` returns them as `(seq, data)`, or None. They go with the session,
    and as soon as an event is appended whose number is not greater than theirs. Whatever is lost is made anew.
    """

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Keep events; all or none of them.

        A session that was here and was deleted, here or by another process, takes nothing but a new beginning.

        Raises:
            StoreError: `missing` for that, `busy` where another event has the number of one, or why nothing is kept.
        """

    async def sync(self) -> None:
        """Return when everything appended is on disk."""

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order; damaged ones are left out and told."""

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Keep bytes and return their reference (a content hash)."""

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""

    def close(self) -> None:
        """Let go of files; may be called twice."""


@frozen
class StoreSpec:
    """Kind of store that a profile can name. `open(path)` opens or makes one at a path (a file or a folder)."""

    name: str
    open: Callable[[str], ContextStore]
