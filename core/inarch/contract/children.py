"""Child sessions: what a running call may have done by a session of its own, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import Factory

from inarch.contract.frozen import frozen
from inarch.contract.records import Turn

if TYPE_CHECKING:
    from inarch.contract.events import Event

DEEPEST = 3
"""How deep children of children may go: circles end there."""


@frozen
class ChildTask:
    """Task for a child session.

    Args:
        name: What people know it by; it stands in its questions and beside its cost.
        prompt: The prompt.
        instructions: What its model is told beside the project's own instructions.
        tools: The tools that it may call, of those that the caller has; None is all of them.
        settings: Keys of the profile that are others for it, such as `model` or `max_iterations`.
        session_id: A former child of the same session to go on with; empty for a new one.
        saw: Hears its events, on the loop.
        root: Another directory that it works in, a copy of its caller's below the plugin's `state`; empty for the same
            one. It may change that whatever the call declared, and nothing else.
    """

    name: str
    prompt: str
    instructions: str = ""
    tools: Sequence[str] | None = None
    settings: Mapping[str, Any] = Factory(dict)
    session_id: str = ""
    saw: Callable[[Event], None] | None = None
    root: str = ""


@frozen
class ChildTurn:
    """Turn of a child session, with the files that it changed."""

    session_id: str
    turn: Turn
    files: tuple[str, ...] = ()
