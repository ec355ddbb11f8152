"""The front end of all sessions of the page: each event and each question goes to its room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define

import inarch
from inarch_web.rooms import room_of

if TYPE_CHECKING:
    from inarch_web.server.room import Room


@define(eq=False, repr=False)
class WebFrontEnd:
    """Passes on what happens, and asks those who look at it.

    Args:
        room: Returns the room of a session, None where nobody has opened it.
    """

    room: Callable[[str], Room | None]
    name: str = "web"

    @property
    def selection(self) -> Any:
        """What the person points at in the room where a call runs."""
        room = room_of()
        return room.selection if room is not None else None

    def show(self, event: inarch.Event) -> None:
        """Pass an event on, from any thread."""
        room = self.room(event.session_id)
        if room is not None:
            room.saw(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask the pages of the room."""
        room = room_of(batch[0].call.turn_id)
        return await room.ask_person(batch) if room is not None else []

    def close(self) -> None:
        """Do nothing: pages are the server's."""
