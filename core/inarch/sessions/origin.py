"""Where a session comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.event_parts import Branch
    from inarch.contract.ports import FrontEnd
    from inarch.turns.session_state import SessionState


@frozen(eq=False, repr=False)
class Origin:
    """What opened a session: a program, or a call of another session.

    Args:
        front_end: Who asks the person.
        branch: Where the session comes from if a call opens it; it then has the rights of the one above.
        above: The session of that call.
    """

    front_end: FrontEnd | None
    branch: Branch | None = None
    above: SessionState | None = None

    def check(self, was: Branch | None, session_id: str) -> None:
        """Return if a kept session is one that the call may go on with.

        Raises:
            UsageError: It is no child of the session above, or has another name.
        """
        now = self.branch
        if now is not None and (was is None or (was.parent, was.name) != (now.parent, now.name)):
            raise UsageError(f"session {session_id} is no {now.name} of this session", "leave session_id out")
