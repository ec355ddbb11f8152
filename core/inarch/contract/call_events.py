"""The events of calls: their states and results, and the files that they, or an undo, change.

`event_kinds` lists them with all others.
"""

from __future__ import annotations

from typing import ClassVar

from inarch.contract.frozen import frozen
from inarch.contract.records import Effects, ToolCall, ToolResult


@frozen
class CallState:
    """A call reached a state that isn't terminal; the first one of a call carries its whole record.

    One that is `executing` and `announces` does nothing but change files, each after a `file.changing`.
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
    """Live output of a running call: coalesced and capped."""

    kind: ClassVar[str] = "call.output"
    call_id: str
    text: str


@frozen
class CallResult:
    """A call is terminal: its status and result."""

    kind: ClassVar[str] = "call.result"
    call_id: str
    name: str
    status: str
    result: ToolResult
    started: str | None = None
    ended: str | None = None


@frozen
class CallsDone:
    """All calls of a batch have ended; `refused` is whether the person denied every one of them without a word."""

    kind: ClassVar[str] = "calls.done"
    call_ids: tuple[str, ...]
    origin: str
    refused: bool = False


@frozen
class FileChanging:
    """A call is about to change a file: what `FileChanged` will say of it, before anything is touched.

    Where neither that nor the call's result follows, the process ended in between, and the file's own hash says whether
    it happened. `after` is empty where it isn't known beforehand; `folders` will be made for it, the outermost first.
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
    """A call changed a file; a hash is None where there was, or is, no file.

    A hash is the SHA-256 of the bytes; a link's bytes are its target, a directory has none. A mode is the whole of
    `st_mode` with the type in it, 0 where nothing stood or nobody looked. `kept` says that the store has the bytes of
    both sides: without them the change can't be undone. `call_id` may also be the `id` of a `changes.undone`.
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


@frozen
class ChangesUndoing:
    """A person is about to take changes back, or to put them on again; `changes` are what that does to the files.

    If no `changes.undone` about the same `calls` follows, a path is as it was, as it was to be, or on its way there.
    Without `changes` nothing was written after all.
    """

    kind: ClassVar[str] = "changes.undoing"
    id: str
    action: str
    calls: tuple[str, ...]
    changes: tuple[FileChanged, ...] = ()


@frozen
class ChangesUndone:
    """A person took changes back, or put them on again; `action` is `undo` or `redo`.

    What that did to the files are `file.changed` events with `id` as their `call_id`. `calls` are the calls whose
    changes it was about, `turns` the turns that those belong to.
    """

    kind: ClassVar[str] = "changes.undone"
    id: str
    action: str
    calls: tuple[str, ...]
    turns: tuple[str, ...] = ()
