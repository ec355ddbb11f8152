"""What calls of one session may use of it: its inbox, its approve mode, and children."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from attrs import define, field

from inarch.contract.errors import UsageError
from inarch.turns.inputs import PluginInbox

if TYPE_CHECKING:
    from inarch.contract.children import ChildTask, ChildTurn
    from inarch.contract.event_parts import Branch
    from inarch.contract.front_ends import FrontEnd
    from inarch.contract.inputs import Inbox
    from inarch.contract.records import ToolCall
    from inarch.sessions.parts import Parts
    from inarch.turns.session_state import SessionState

# Most sessions have no children: what runs them is imported where one begins.


@define(eq=False, repr=False)
class SessionDoors:
    """What calls of one session may use of it: its inbox, and children.

    Args:
        parts: The application.
        branch: Where the session comes from if a call opens it; it then has the rights of the one above.
        above: The session of that call.
        asking: Held while a child's question stands: one is asked after the other.
    """

    parts: Parts
    branch: Branch | None = None
    above: SessionState | None = None
    asking: asyncio.Lock = field(factory=asyncio.Lock)
    state: SessionState = field(init=False)

    @property
    def front_end(self) -> FrontEnd | None:
        """Who asks the person: for a child under its name."""
        found = self.parts.front_end
        if found is None or self.branch is None:
            return found
        from inarch.sessions.children import Named

        return Named(found, self.branch.name, self.asking)

    def check(self, was: Branch | None, session_id: str) -> None:
        """Return if a kept session is one that the call may go on with.

        Raises:
            UsageError: It is no child of the session above, or has another name.
        """
        now = self.branch
        if now is not None and (was is None or (was.parent, was.name) != (now.parent, now.name)):
            raise UsageError(f"session {session_id} is no {now.name} of this session", "leave session_id out")

    def inbox(self, plugin: str) -> Inbox:
        """Return what takes the words of a plugin."""
        return PluginInbox(self.state.inputs, plugin)

    def set_approve(self, level: str) -> None:
        """Let another approve mode hold from now on."""
        from inarch.sessions.switching import change_settings

        change_settings(self.state, {"approve": level})

    def below(self, parts: Parts, branch: Branch) -> SessionDoors:
        """Return what calls of a child may use of it."""
        return SessionDoors(parts, branch, self.state, self.asking)

    async def child(self, call: ToolCall, may_change: bool, task: ChildTask) -> ChildTurn:
        """Run a turn of a child to its end; however it ends, what it took is the parent's.

        Raises:
            ToolFailed: It can't be begun.
        """
        from inarch.sessions.children import run_child

        if not task.root:
            return await run_child(self, self.parts, call, may_change, task)
        parts = await asyncio.to_thread(self.parts.at, task.root)
        try:
            return await run_child(self, parts, call, True, task)
        finally:
            await parts.aclose()
