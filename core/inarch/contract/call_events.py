"""Events of calls: their states and results, and the files that they or an undo change.

`event_kinds` lists them with all others.
"""

from __future__ import annotations

from typing import ClassVar

from inarch.contract.frozen import frozen
from inarch.contract.records import Effects, ToolCall, ToolResult


@frozen
class CallState:
    """Event: a call reached a state that is not terminal; the first one carries the whole record of the call.

    A call that is `executing` and `announces` only changes files, each after a `file.changing`.
    """

    kind: ClassVar[str] = "call.state"
    call_id: str
    name: str
    status: str
    call: ToolCall | None = None
    effects: Effects | None = None
    after: tuple[str, ...] = ()
    announces: bool = False


@frozen
class CallOutput:
    """Event: live output of a running call, coalesced and capped."""

    kind: ClassVar[str] = "call.output"
    call_id: str
    text: str


@frozen
class CallResult:
    """Event: a call is terminal, with its status and result."""

    kind: ClassVar[str] = "call.result"
    call_id: str
    name: str
    status: str
    result: ToolResult
    started: str | None = None
    ended: str | None = None


@frozen
class CallsDone:
    """Event: all calls of a batch have ended; `refused` is whether the user denied each of them without a comment."""

    kind: ClassVar[str] = "calls.done"
    call_ids: tuple[str, ...]
    origin: str
    refused: bool = False


@frozen
class FileChanging:
    """Event: a call is about to change a file, with the fields of the `FileChanged` to come.

    If neither that nor the call's result follows, the process ended in between. The file's own hash then shows whether
    the change happened. `after` is empty if it is not known beforehand. `folders` will be created for the file, the
    outermost first.
    """

    kind: ClassVar[str] = "file.changing"
    call_id: str
    path: str
    before: str | None
    after: str | None
    new_path: str | None = None
    before_mode: int = 0
    kept: bool = False
    folders: tuple[str, ...] = ()


@frozen
class FileChanged:
    """Event: a call changed a file; a hash is None if there was, or is, no file.

    A hash is the SHA-256 of the bytes; a link's bytes are its target, a directory has none. A mode is the whole of
    `st_mode` including the type, or 0 if the path did not exist or was not examined. `kept` says that the store has the
    bytes of both sides; without them the change cannot be undone. `ignored` says that Git ignores it.
    `call_id` may also be the `id` of a `changes.undone`.
    """

    kind: ClassVar[str] = "file.changed"
    call_id: str
    path: str
    before: str | None
    after: str | None
    new_path: str | None = None
    before_mode: int = 0
    after_mode: int = 0
    kept: bool = False
    ignored: bool = False


@frozen
class ChangesUndoing:
    """Event: the user is about to revert or reapply changes; `changes` are the effects on files.

    If no `changes.undone` about the same `calls` follows, a path is in its old state, its new state or in between.
    Without `changes`, nothing was written.
    """

    kind: ClassVar[str] = "changes.undoing"
    id: str
    action: str
    calls: tuple[str, ...]
    changes: tuple[FileChanged, ...] = ()


@frozen
class ChangesUndone:
    """Event: the user reverted or reapplied changes; `action` is `undo` or `redo`.

    The effects on files are `file.changed` events with `id` as their `call_id`. `calls` are the calls whose changes it
    was about, `turns` their turns.
    """

    kind: ClassVar[str] = "changes.undone"
    id: str
    action: str
    calls: tuple[str, ...]
    turns: tuple[str, ...] = ()
