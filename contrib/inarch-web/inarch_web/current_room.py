"""The current room, for tools, questions and the selection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_web.server.room import Room

_HERE: ContextVar[Room | None] = ContextVar("inarch_web_room", default=None)


@contextmanager
def here(room: Room) -> Iterator[None]:
    """Make a room the current one within the context, in this task and the tasks that it starts."""
    token = _HERE.set(room)
    try:
        yield
    finally:
        _HERE.reset(token)


def room_here() -> Room | None:
    """Return the current task's room."""
    return _HERE.get()
