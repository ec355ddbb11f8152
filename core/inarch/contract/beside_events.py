"""The events of what reaches a session beside its prompts and calls: words, children, and what plugins do with those.

`event_kinds` lists them with all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from inarch.contract.event_parts import Spent
from inarch.contract.frozen import frozen


@frozen
class InputWaiting:
    """Words were said beside prompts, by the person or by the plugin `by`: they go in before the next request."""

    kind: ClassVar[str] = "input.waiting"
    id: str
    text: str
    by: str = ""


@frozen
class InputEnded:
    """Words wait no more. `outcome` is `added` (the model sees them from here), `prompt` (the next prompt begins with
    them) or `taken_back`.
    """

    kind: ClassVar[str] = "input.ended"
    id: str
    outcome: str
    text: str
    by: str = ""


@frozen
class ChildStarted:
    """A call has a turn run by a child session, which has a record of its own."""

    kind: ClassVar[str] = "child.started"
    call_id: str
    session_id: str
    name: str


@frozen
class ChildEnded:
    """The turn of a child is over: how, and what it took, which is part of what this session took."""

    kind: ClassVar[str] = "child.ended"
    call_id: str
    session_id: str
    name: str
    status: str
    spent: tuple[Spent, ...] = ()


@frozen
class CallRewritten:
    """A plugin gave a call that was not judged yet `arguments`, if not None; `decision` is empty where it has none."""

    kind: ClassVar[str] = "call.rewritten"
    call_id: str
    name: str
    plugin: str
    rewriter: str
    arguments: Mapping[str, Any] | None = None
    decision: str = ""
    reason: str = ""


@frozen
class CallReviewed:
    """A plugin added text to the result of a call that has ended; `stop` where it wants the turn to end."""

    kind: ClassVar[str] = "call.reviewed"
    call_id: str
    name: str
    plugin: str
    reviewer: str
    text: str
    stop: bool = False


@frozen
class TurnHeld:
    """A plugin held back the end of a turn: the model is told the reason and goes on."""

    kind: ClassVar[str] = "turn.held"
    plugin: str
    guard: str
    reason: str
