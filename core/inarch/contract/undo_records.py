"""What taking changes back works with: what stands at a path, how it is to be left, and the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from inarch.contract.frozen import frozen


class Standing(NamedTuple):
    """State of a path: the hash of its bytes, None for nothing and for a directory, and its whole mode."""

    hash: str | None
    mode: int


@frozen
class PutBack:
    """Wanted state of a path, with the state that it must have before. `data` returns the bytes of `then`."""

    path: str
    now: Standing
    then: Standing
    data: Callable[[], bytes]


@frozen
class FileOutcome:
    """Result of undo for a path: `made`, `changed`, `merged`, `removed`, `mode`, or `left` with a note."""

    path: str
    action: str
    note: str = ""


@frozen
class FileConflict:
    """Path on which your changes and the ones to undo touch the same lines. `text` shows them.

    Without a path it is about all of it, and `text` says what went wrong.
    """

    path: str
    text: str


@frozen
class UndoReport:
    """Result of an undo or redo. Nothing was written unless `done`.

    `what` names the turns and calls, a line each; `notes` say what is not covered.
    """

    action: Literal["undo", "redo"]
    what: tuple[str, ...] = ()
    files: tuple[FileOutcome, ...] = ()
    conflicts: tuple[FileConflict, ...] = ()
    notes: tuple[str, ...] = ()
    done: bool = False
