"""The turn so far as its request shows it: the question, and the results of its calls."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from inarch import CallPart, Message, ModelRequest, PlannedCall, ResultPart, Text, ToolResult
from inarch_brief.offline.page import Page
from inarch_brief.offline.results import key

MAX_ROUNDS = 12
"""Replies with calls in one turn. The next one answers with the results so far."""

T = TypeVar("T")
Asking = Generator[Sequence[PlannedCall], Sequence[ToolResult], T]
"""A generator that yields batches of calls, is sent their results in order, and returns its finding."""
Plan = Asking[Page]


class Exchange(NamedTuple):
    """A turn as its request shows it.

    Args:
        prompt: The user's last prompt, without the kernel's additions.
        earlier: The user's earlier prompts, oldest first.
        answers: The texts of the earlier answers, newest first.
        results: The results of this turn's calls, by `key`.
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
    """Split a request at the last user message."""
    messages = request.messages
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    if request.tool_choice == "none" and last > 0 and messages[last - 1].role == "tool":
        # Not a prompt: at a limit, the kernel itself asks for the answer so far.
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
    """Return the first text of a user message. The kernel added the rest."""
    return next((part.text for part in message.parts if isinstance(part, Text)), "")
