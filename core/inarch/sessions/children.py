"""Child sessions within the rights, the spending and the time of the call that starts them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.calls.offered_tools import modes_of
from inarch.contract.capabilities import passed_on
from inarch.contract.codec import from_data
from inarch.contract.errors import ConfigError, StoreError, ToolFailed, UsageError
from inarch.contract.event_parts import Branch
from inarch.contract.events import Event
from inarch.sessions.parts import Origin
from inarch.sessions.session import Session
from inarch.sessions.session_models import change_settings, require_copy
from inarch.sessions.session_start import open_state
from inarch.turns.session_state import PluginInbox
from inarch_sdk.modes import REVIEW

if TYPE_CHECKING:
    from inarch.contract.approval_records import Approval, ApprovalRequest
    from inarch.contract.children import ChildTask, ChildTurn
    from inarch.contract.front_ends import FrontEnd
    from inarch.contract.inputs import Inbox
    from inarch.contract.records import ToolCall
    from inarch.sessions.parts import Parts
    from inarch.turns.session_state import SessionState


@define(eq=False, repr=False)
class SessionDoors:
    """Session operations for calls: the inbox, the approval mode, and children.

    Args:
        parts: The application.
        asking: Lock held during a child's question, so that children ask one after the other.
    """

    parts: Parts
    asking: asyncio.Lock = field(factory=asyncio.Lock)
    state: SessionState = field(init=False)

    def inbox(self, plugin: str) -> Inbox:
        """Return the inbox for a plugin's messages."""
        return PluginInbox(self.state.inputs, plugin)

    def set_approve(self, level: str) -> None:
        """Set the approval mode from now on."""
        change_settings(self.state, {"approve": level})

    async def child(self, call: ToolCall, may_change: bool, task: ChildTask) -> ChildTurn:
        """Run a turn of a child to its end; the parent pays for it however it ends."""
        if not task.root:
            return await self._run(self.parts, call, may_change, task)
        parts = await asyncio.to_thread(self.parts.at, task.root)
        try:
            return await self._run(parts, call, True, task)
        finally:
            await parts.aclose()

    async def _run(self, parts: Parts, call: ToolCall, may_change: bool, task: ChildTask) -> ChildTurn:
        from inarch.contract.children import ChildTurn
        from inarch.contract.other_events import ChildEnded, ChildStarted

        state, turn_id = self.state, call.turn_id or None
        child = Session(self._opened(parts, call, may_change, task))
        files = _Files(state, call, child.id, keeps=not task.root)
        child.state.journal.listeners += [files.saw, *([task.saw] if task.saw is not None else [])]
        # A continued child has turns already: its last one counts only if this call has added it.
        before = [turn.id for turn in child.state.turns[-1:]]
        state.journal.record(ChildStarted(call.id, child.id, task.name), turn_id)
        try:
            turn = await child.run(task.prompt)
        except (ConfigError, UsageError) as error:
            raise ToolFailed("not_found", error.message, error.remedy) from error
        finally:
            ended = next((turn for turn in child.state.turns[-1:] if turn.id not in before), None)
            spent = () if ended is None else child.state.ledger.rows(ended.id)
            status = "failed" if ended is None else ended.status
            state.journal.record(ChildEnded(call.id, child.id, task.name, status, spent), turn_id)
            child.state.scheduler.close()
        return ChildTurn(child.id, turn, tuple(files.paths))

    def _opened(self, parts: Parts, call: ToolCall, may_change: bool, task: ChildTask) -> SessionState:
        mode = self.state.config.profile.approve
        # In plan mode no user rule allows a change by the child, as for its caller; `none` would follow the rules.
        own_mode = {} if may_change and mode != "plan" else {"approve": "plan"}
        if mode == REVIEW and task.root:  # a work tree: what happens there is merged into the copy
            own_mode = {"approve": "auto"}
        branch, asks = self._branch(call, task), parts.composed.front_end
        named = None if asks is None else Named(asks, branch.name, self.asking)
        doors = SessionDoors(parts, self.asking)
        try:
            child = open_state(parts, task.session_id or None, doors, Origin(named, branch, self.state))
            doors.state = child
            profile = evolve(child.config.profile, output_schema=None)  # the form of the parent's answer
            child.config = evolve(child.config, profile=profile)
            change_settings(child, {**task.settings, **own_mode})
        except UsageError as error:
            raise ToolFailed("validation", error.message, error.remedy) from error
        return child

    def _branch(self, call: ToolCall, task: ChildTask) -> Branch:
        from inarch.contract.children import DEEPEST

        depth = 1 + (self.state.branch.depth if self.state.branch is not None else 0)
        if depth > DEEPEST:
            raise ToolFailed("permission", f"{task.name} would be {depth} deep, and children end at {DEEPEST}")
        tools_here = self.parts.composition.tools
        there = [spec.name for spec in self.state.tools.now if not modes_of(tools_here[spec.name].value)]
        tools = there if task.tools is None else list(task.tools)
        if more := [name for name in tools if name not in there]:
            raise ToolFailed("permission", f"{task.name} can't have {', '.join(more)}: its caller has no such tool")
        if "approve" in task.settings:
            raise ToolFailed("validation", "approve can't be set for a child", "it has its caller's")
        return Branch(
            self.state.journal.session_id, call.turn_id, call.id, task.name, depth, task.instructions, tuple(tools)
        )


@define(eq=False, repr=False)
class Named:
    """Front end that asks under a child's name, and shows nothing: its events are not the parent's."""

    _front_end: FrontEnd
    _child: str
    _asking: asyncio.Lock

    @property
    def name(self) -> str:
        """The front end's own."""
        return self._front_end.name

    def show(self, event: Event) -> None:
        """Ignore the event."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of the child's calls."""
        async with self._asking:
            return await self._front_end.approve([evolve(one, reason=f"{self._child}: {one.reason}") for one in batch])

    def close(self) -> None:
        """Do nothing: the parent closes it."""

    def __getattr__(self, name: str) -> Any:
        return passed_on("front_ends", self._front_end, name)


@define(eq=False, repr=False)
class _Files:
    """Observer of a child's file changes; it `keeps` them for undo by a parent in the same directory."""

    state: SessionState
    call: ToolCall
    child_id: str
    keeps: bool
    paths: dict[str, None] = field(init=False, factory=dict)

    def saw(self, event: Event) -> None:
        """Process an event of the child and store the bytes of both sides for the parent, too."""
        if event.kind != "file.changed":
            return
        from inarch.contract.call_events import FileChanged

        journal, data = self.state.journal, event.data
        self.paths |= dict.fromkeys(filter(None, (data["path"], data["new_path"])))
        if not self.keeps:
            return
        kept = data["kept"]
        try:
            for ref in filter(None, (data["before"], data["after"]) if kept else ()):
                journal.store.put_blob(journal.session_id, journal.store.get_blob(self.child_id, ref))
        except StoreError:
            kept = False
        change = from_data(FileChanged, {**data, "call_id": self.call.id, "kept": kept})
        journal.record(change, self.call.turn_id or None)
        with suppress(StoreError):  # the call may run long: a kill must not lose what undo needs
            journal.flush()


def open_session(parts: Parts, session_id: str | None = None) -> Session:
    """Return a new session, or the stored one of this id."""
    require_copy(parts.config.profile.approve, parts.config.root)
    doors = SessionDoors(parts)
    doors.state = open_state(parts, session_id, doors, Origin(parts.composed.front_end))
    return Session(doors.state)
