"""What a session's events come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import field

from inarch.contract.frozen import frozen
from inarch.contract.records import Message, Turn

if TYPE_CHECKING:
    from inarch.contract.replacements import Settled
    from inarch.journal.interrupted_calls import OpenCall


@frozen
class History:
    """A session as far as its events tell.

    Args:
        turns: User and agent turns in the order they began, agent turns with their calls; none is running.
        messages: The conversation for a model; every call in it is followed by its result.
        seen: Path to hash of the files as the session last read or wrote them.
        root: The workspace that the session belongs to.
        title: The first prompt, on one line.
        seq: The number of the last event.
        unknown: Calls with effects of which nobody knows how they ended.
        said: The same messages by the agent's turn that they belong to, each with the prompt it answers.
        left_out: The data of each `context.dropped`: what the model didn't see any more.
        cut_off: Calls of which the events don't have a result.
        unended: Turns of which the events don't have the end.
        settled: What the files say of calls without a result, each with the call.
        fixed: The data of the last `context.fixed` of each service.
        last_request: Which model was asked last in a turn, how many messages it was sent, and their digest.
        compacted: Whether the conversation was made shorter since.
    """

    turns: tuple[Turn, ...] = ()
    messages: tuple[Message, ...] = ()
    seen: Mapping[str, str] = field(factory=dict)
    root: str = ""
    title: str = ""
    seq: int = 0
    unknown: tuple[str, ...] = ()
    said: tuple[tuple[str, tuple[Message, ...]], ...] = ()
    left_out: tuple[Mapping[str, Any], ...] = ()
    cut_off: tuple[str, ...] = ()
    unended: tuple[str, ...] = ()
    settled: tuple[tuple[OpenCall, Settled], ...] = ()
    fixed: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    last_request: tuple[str, int, str] = ("", 0, "")
    compacted: bool = False
