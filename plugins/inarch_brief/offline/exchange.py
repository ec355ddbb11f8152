"""What a request says of the turn so far: the question, and what came of the calls made for it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from inarch import CallPart, Message, ModelRequest, PlannedCall, ResultPart, Text, ToolResult
from inarch_brief.offline.page import Page
from inarch_brief.offline.results import key

MAX_ROUNDS = 8
"""Replies with calls in one turn; the next one answers with what is known."""

T = TypeVar("T")
Asking = Generator[Sequence[PlannedCall], Sequence[ToolResult], T]
"""Yields batches of calls, is sent their results in order, and returns what it wanted to know."""
Plan = Asking[Page]


class Exchange(NamedTuple):
    """A turn as its request shows it.

    Args:
        prompt: What the user asked last, without what the kernel adds to it.
        earlier: The user's earlier prompts, oldest first.
        answers: The texts of the answers before it, the last one first.
        results: What came of this turn's calls, by `key`.
        tools: Names of the tools that may be called.
        rounds: Replies with calls so far.
        may_call: Whether one more such reply is possible.
    """

    prompt: str
    earlier: tuple[str, ...]
    answers: tuple[str, ...]
    results: Mapping[str, ToolResult]
    tools: frozenset[str]
    rounds: int
    may_call: bool


def read_exchange(request: ModelRequest) -> Exchange:
    """Take a request apart at the last user message."""
    messages = request.messages
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    if request.tool_choice == "none" and last > 0 and messages[last - 1].role == "tool":
        # Not a prompt: when a limit is reached the kernel itself asks for the answer so far.
        last = max((place for place in range(last) if messages[place].role == "user"), default=last)
    now = messages[last + 1 :]
    calls: dict[str, str] = {}
    results: dict[str, ToolResult] = {}
    for message in now:
        for part in message.parts:
            if isinstance(part, CallPart):
                calls[part.id] = key(part.name, part.arguments)
            elif isinstance(part, ResultPart) and part.call_id in calls:
                results[calls[part.call_id]] = part.result
    rounds = sum(any(isinstance(part, CallPart) for part in message.parts) for message in now)
    return Exchange(
        prompt=_prompt(messages[last]) if last >= 0 else "",
        earlier=tuple(_prompt(message) for message in messages[: max(last, 0)] if message.role == "user"),
        answers=tuple(
            message.text
            for message in reversed(messages[: max(last, 0)])
            if message.role == "assistant" and message.text
        ),
        results=results,
        tools=frozenset(tool.name for tool in request.tools),
        rounds=rounds,
        may_call=request.tool_choice != "none" and rounds < MAX_ROUNDS,
    )


def _prompt(message: Message) -> str:
    """Return the first text of a user message: what follows it was added by the kernel."""
    return next((part.text for part in message.parts if isinstance(part, Text)), "")
