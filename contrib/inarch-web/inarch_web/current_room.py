"""The current room, for tools, questions and the selection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_web.server.room import Room

_HERE: ContextVar[Room | None] = ContextVar("inarch_web_room", default=None)
_BY_TURN: dict[str, Room] = {}


@contextmanager
def here(room: Room) -> Iterator[None]:
    """Make a room the current one within the context, in this task and the tasks that it starts."""
    token = _HERE.set(room)
    try:
        yield
    finally:
        _HERE.reset(token)


def room_of(turn_id: str = "") -> Room | None:
    """Return the room of a running turn, or else the current task's room."""
    return _BY_TURN.get(turn_id) or _HERE.get()


def began(turn_id: str, room: Room) -> None:
    """Record that a turn runs in a room."""
    _BY_TURN[turn_id] = room


def ended(turn_id: str) -> None:
    """Record that a turn has ended."""
    _BY_TURN.pop(turn_id, None)
