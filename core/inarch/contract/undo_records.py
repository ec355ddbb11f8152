"""What taking changes back works with: what stands at a path, how it is to be left, and the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from inarch.contract.frozen import frozen


class Standing(NamedTuple):
    """What stands at a path: the hash of its bytes, None for nothing and for a directory, and its whole mode."""

    hash: str | None
    mode: int


@frozen
class PutBack:
    """How a path is to be left, and what must stand there for that; `data` returns the bytes of `then`."""

    path: str
    now: Standing
    then: Standing
    data: Callable[[], bytes]


@frozen
class FileOutcome:
    """What was, or would be, done to a path: `made`, `changed`, `merged`, `removed`, `mode`, or `left` with a note."""

    path: str
    action: str
    note: str = ""


@frozen
class FileConflict:
    """A path where what a person has now and what should be taken back touch the same lines; `text` shows them.

    Without a path it is about all of it, and `text` says what went wrong.
    """

    path: str
    text: str


@frozen
class UndoReport:
    """What an undo or redo was about and what came of it; unless `done`, nothing at all was written.

    `what` names the turns and calls, a line each; `notes` say what is not covered.
    """

    action: Literal["undo", "redo"]
    what: tuple[str, ...] = ()
    files: tuple[FileOutcome, ...] = ()
    conflicts: tuple[FileConflict, ...] = ()
    notes: tuple[str, ...] = ()
    done: bool = False
