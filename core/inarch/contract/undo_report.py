"""What came of an undo or redo."""

from __future__ import annotations

from typing import Literal

from inarch.contract.frozen import frozen


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
