"""Records for reverting changes: the present state of a path, the state to restore, and the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from inarch.contract.frozen import frozen


class Standing(NamedTuple):
    """Present state of a path: the hash of its bytes and its whole mode; without arguments, a missing path.

    A directory has no hash.
    """

    hash: str | None = None
    mode: int = 0


@frozen
class PutBack:
    """State to give a path, and the state that it must have before; `data` returns the bytes of `then`."""

    path: str
    now: Standing
    then: Standing
    data: Callable[[], bytes]


@frozen
class FileOutcome:
    """Outcome for a path: `made`, `changed`, `merged`, `removed`, `mode`, or `left` with a note."""

    path: str
    action: str
    note: str = ""


@frozen
class FileConflict:
    """Path at which the user's present text and the reverted change touch the same lines; `text` shows them.

    Without a path it is about the whole operation, and `text` says what went wrong.
    """

    path: str
    text: str


@frozen
class UndoReport:
    """Report of an undo or redo; unless `done`, nothing was written.

    `what` names the turns and calls, one line each; `notes` say what is not covered.
    """

    action: Literal["undo", "redo"]
    what: tuple[str, ...] = ()
    files: tuple[FileOutcome, ...] = ()
    conflicts: tuple[FileConflict, ...] = ()
    notes: tuple[str, ...] = ()
    done: bool = False
