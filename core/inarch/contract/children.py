"""Child sessions: the task that a running call gives one, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import Factory

from inarch.contract.frozen import frozen
from inarch.contract.records import Turn

if TYPE_CHECKING:
    from inarch.contract.events import Event

DEEPEST = 3
"""Depth limit for children of children, which ends circles."""


@frozen
class ChildTask:
    """Task of a child session.

    Args:
        name: Its name for the user, shown in its questions and beside its cost.
        prompt: The prompt.
        instructions: Instructions for its model, in addition to the project's.
        tools: The tools that it may call, of the caller's; None means all of them.
        settings: Profile keys that differ for it, such as `model` or `max_iterations`.
        session_id: A former child of the same session to continue; empty for a new one.
        saw: Receives its events, on the loop.
        root: Another directory to work in, a copy of its caller's below the plugin's `state`; empty for the same
            one. It may change that directory whatever the call declared, and no other.
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
    """Turn of a child: its session, the turn, and the files that it changed."""

    session_id: str
    turn: Turn
    files: tuple[str, ...] = ()
