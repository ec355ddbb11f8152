"""History of a session, derived from its events."""

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
    """Session as its events describe it.

    Args:
        turns: User and agent turns in the order they began, agent turns with their calls; none is running.
        messages: The conversation for a model; every call in it is followed by its result.
        seen: Path to hash of the files as the session last read or wrote them.
        root: The workspace that the session belongs to.
        title: The first prompt, on one line.
        seq: The number of the last event.
        unknown: Calls with effects and an unknown outcome.
        said: The same messages by the agent's turn that they belong to, each with the prompt it answers.
        left_out: The data of each `context.dropped`, which removed parts from the model's view.
        cut_off: Calls without a result in the events.
        unended: Turns without an end in the events.
        settled: Outcomes of calls without a result, according to the files, each with the call.
        fixed: The data of the last `context.fixed` of each service.
        last_request: The model that was last asked in a turn, the number of messages it received, and their digest.
        compacted: Whether the conversation was shortened since.
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
