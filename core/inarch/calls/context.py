"""Context of a running tool: its workspace, capped live output, settings and earlier calls."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field

from inarch.calls.before_images import Keeper, Keeping
from inarch.calls.lease import Handle, Lease
from inarch.calls.secrets import Secrets
from inarch.contract.call_events import CallOutput, FileChanged, FileChanging
from inarch.contract.capabilities import Selects, able
from inarch.contract.errors import InarchError, StoreError, ToolFailed
from inarch.contract.event_parts import PluginEvent
from inarch.contract.events import ErrorHappened, Note
from inarch.contract.front_ends import FrontEnd
from inarch.contract.guard import guarded
from inarch.contract.records import ChosenRights, Effects, ToolCall
from inarch.contract.workspaces import Workspace
from inarch_lib.secrets.secret_names import LONGEST, end_from

if TYPE_CHECKING:
    from inarch.contract.children import ChildTask, ChildTurn
    from inarch.contract.inputs import Inbox
    from inarch.journal.journal import Journal
    from inarch.plugins.registration import Bound


MOST_LIVE = 64_000
"""Characters of live output shown of one call."""
COALESCE_S = 0.1


@define(eq=False, repr=False)
class LiveOutput:
    """Live output of one call. Any thread may add chunks; the loop calls `show` ten times a second."""

    show: Callable[[str], None]
    loop: asyncio.AbstractEventLoop
    _chunks: list[str] = field(init=False, factory=list)
    _room: int = field(init=False, default=MOST_LIVE)
    _is_over: bool = field(init=False, default=False)
    _armed: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def add(self, chunk: str) -> None:
        """Take a chunk. Drop what exceeds the cap and report that once."""
        with self._lock:
            if self._is_over or not chunk:
                return
            # Show the rest of the line or word that exceeds the cap: half a secret would not be recognised.
            end = end_from(chunk, max(self._room, 0), LONGEST + min(self._room, 0))
            # Only the display loses what is cut off; the result has all of it.
            self._chunks.append(chunk[:end])
            self._room -= end
            if end < len(chunk):
                self._is_over = True
                self._chunks.append("\n… further live output is not shown\n")
            armed, self._armed = self._armed, True
        if not armed:
            with suppress(RuntimeError):  # the loop is closed: no front end watches any more
                self.loop.call_soon_threadsafe(self.loop.call_later, COALESCE_S, self.flush)

    def flush(self) -> None:
        """Show pending output; call this on the loop only."""
        with self._lock:
            text = "".join(self._chunks)
            self._chunks.clear()
            self._armed = False
        if text:
            self.show(text)


class Doors(Protocol):
    """Operations of the session that its calls may use."""

    def inbox(self, plugin: str) -> Inbox:
        """Return the inbox for a plugin's messages to the model."""
        ...

    async def child(self, call: ToolCall, may_change: bool, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session, read-only unless the call may change anything."""
        ...

    def set_approve(self, level: str) -> None:
        """Set the approval mode from now on, as the user chose with a call."""
        ...


@define(eq=False, repr=False)
class CallContext:
    """The `ToolContext` of one attempt of a call."""

    _call: ToolCall
    _lease: Lease
    handle: Handle
    _live: LiveOutput
    _journal: Journal
    _earlier: Callable[[], Sequence[ToolCall]]
    _state_dir: str
    settings: Any
    seen: Mapping[str, str]
    selection: Any = None
    rights: ChosenRights | None = None
    _record: Callable[[str, Mapping[str, Any]], None] = field(kw_only=True)
    _doors: Doors | None = field(kw_only=True, default=None)
    _plugin: str = field(kw_only=True, default="")
    _may_change: bool = field(kw_only=True, default=False)

    @property
    def turn_id(self) -> str:
        """The turn that the call belongs to."""
        return self._call.turn_id

    @property
    def call_id(self) -> str:
        """The call's own id."""
        return self._call.id

    @property
    def workspace(self) -> Workspace:
        """The workspace, usable as long as the call may act."""
        self._lease.check()
        return self.handle

    @property
    def cancelled(self) -> threading.Event:
        """Event that is set when the call should stop."""
        return self._lease.cancelled

    @property
    def earlier(self) -> Sequence[ToolCall]:
        """This turn's finished calls, oldest first."""
        return self._earlier()

    @property
    def state(self) -> Path:
        """The plugin's own folder, created on first use."""
        self._lease.check()
        if not self._state_dir:
            raise ToolFailed("execution", "this plugin was given no state folder")
        folder = Path(self._state_dir)
        from inarch_lib.staging import make_folder  # keep this import off the start-up path

        make_folder(folder)
        return folder

    @property
    def inbox(self) -> Inbox:
        """Inbox for the plugin's messages to the model, usable after the call too."""
        return self._session.inbox(self._plugin)

    async def child(self, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session to its end."""
        if task.root:
            self._demand_own(task.root)
        found = await self._session.child(self._call, self._may_change, task)
        self._lease.check()
        return found

    def _demand_own(self, root: str) -> None:
        # Elsewhere a child would read and change files that this call has not declared.
        if not os.path.realpath(root).startswith(f"{os.path.realpath(self.state)}/"):
            raise ToolFailed("permission", f"{root} is not below the plugin's own state folder")

    @property
    def _session(self) -> Doors:
        self._lease.check()
        if self._doors is None:
            raise ToolFailed("execution", "this call is of no session")
        return self._doors

    def emit(self, chunk: str) -> None:
        """Show live output."""
        self._lease.check()
        if not isinstance(chunk, str):
            raise TypeError(f"emit takes text, not {type(chunk).__name__}")
        self._live.add(chunk)

    def output(self, ref: str) -> bytes:
        """Return the whole of a long output of this session."""
        self._lease.check()
        try:
            return self._journal.store.get_blob(self._journal.session_id, ref)
        except StoreError as error:
            raise ToolFailed("not_found", f"no output {ref!r}: {error.message}", error.remedy) from error

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares."""
        self._lease.check()
        self._record(name, data)

    def revoke(self, cancel: bool = True) -> None:
        """Take the workspace and the live output away from the call."""
        self._lease.revoke(cancel)


@define(eq=False, repr=False)
class _Recording:
    """Recorder of a running call, usable from any thread: it stores events at once and shows them on the loop."""

    call: ToolCall
    journal: Journal
    checked: Callable[[str, Mapping[str, Any]], PluginEvent]
    loop: asyncio.AbstractEventLoop

    def keep(self, *payloads: FileChanging | FileChanged | Note, at_once: bool = True) -> None:
        """Store a change to files that is about to happen or has happened."""
        self.journal.keep(payloads, self.call.turn_id, at_once)
        if not isinstance(payloads[0], FileChanging) and at_once:  # otherwise it is shown with the next event
            self._show_all()

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Store an event of the plugin."""
        self.journal.keep((self.checked(name, data),), self.call.turn_id or None, at_once=False)
        self._show_all()

    def show_output(self, text: str) -> None:
        """Record live output; call this on the loop."""
        self.journal.record(CallOutput(self.call.id, text), self.call.turn_id)

    def _show_all(self) -> None:
        try:
            # Listeners run on the loop; an event that a thread hands over arrives before the thread's result.
            self.loop.call_soon_threadsafe(self.journal.show)
        except RuntimeError:
            self.journal.show()  # the loop is closed, but it has happened


@define(eq=False, repr=False)
class Surroundings:
    """Shared dependencies of all calls of one session.

    `checked` makes an event of a record by a plugin, given its name, if the plugin may record it.
    """

    journal: Journal
    workspace: Workspace
    seen: dict[str, str]
    secrets: Secrets
    front_end: FrontEnd | None
    keeper: Keeper | None
    checked: Callable[[str, str, Mapping[str, Any]], PluginEvent]
    doors: Doors | None = None

    def selection(self) -> Any:
        """Return the user's selection in the front end."""
        if self.front_end is None:
            return None
        try:
            with guarded(self.front_end.name, "front end", passes=()):
                pointing = able(self.front_end, Selects)
                return None if pointing is None else pointing.selection
        except InarchError as error:
            self.journal.record(ErrorHappened(error.message, error.remedy, self.front_end.name, "front end"))
            return None


def open_context(
    around: Surroundings,
    call: ToolCall,
    part: Bound[Any],
    earlier: Callable[[], Sequence[ToolCall]],
    *,
    effects: Effects | None = None,
    hidden: Sequence[str] = (),
    rights: ChosenRights | None = None,
) -> tuple[CallContext, LiveOutput]:
    """Make the context of one attempt, on the loop that the call runs under.

    `part` owns the settings and the folder: the call's tool, or the plugin object asked about the call. `effects` of
    None may change anything. `rights` of None mean that the user did not approve the call.
    """
    journal, given = around.journal, part.context
    recording = _Recording(call, journal, partial(around.checked, part.plugin), asyncio.get_running_loop())
    lease = Lease(call.id)
    live = LiveOutput(recording.show_output, recording.loop)
    keeping = Keeping(around.keeper, call.id, recording.keep)
    handle = Handle(
        around.workspace, lease, around.seen, keeping, effects, around.secrets, rights is not None, tuple(hidden)
    )
    context = CallContext(
        call, lease, handle, live, journal, earlier, given.state_dir, given.settings, MappingProxyType(around.seen),
        around.selection(), rights, record=recording.record, doors=around.doors, plugin=part.plugin,
        may_change=effects is None or effects.exclusive,
    )  # fmt: skip
    return context, live
