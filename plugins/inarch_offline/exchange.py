"""What a request says of the turn so far, and how a plan is carried on from it.

A plan is a generator: it yields batches of calls, is sent their results and returns a page. Each request starts it
anew and feeds it the results that stand in the messages, so nothing has to be kept between requests.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from inarch import CallPart, Message, ModelRequest, PlannedCall, ResultPart, Text, ToolError, ToolResult
from inarch_offline.page import Page
from inarch_offline.results import said

MAX_ROUNDS = 8
"""Replies with calls in one turn; the next one answers with what is known."""

_ENDED = "the turn's limit was reached"
_PARTIAL = "this answer is partial: the turn's limit was reached before everything was looked at"

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

    def result(self, call: PlannedCall) -> ToolResult | None:
        """Return what came of a call, None if it is still to be made."""
        known = self.results.get(key(call.name, call.arguments))
        if known is not None:
            return known
        if call.name not in self.tools:
            return _failure("denied", f"the tool {call.name} is not part of this profile")
        return None if self.may_call else _failure("cancelled", f"{call.name} was not called: {_ENDED}")


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


def carry_on(plan: Plan, exchange: Exchange) -> Page | list[PlannedCall]:
    """Run a plan as far as the results go: to its page, or to the calls that it needs next."""
    is_partial = False
    failures: list[str] = []
    try:
        wanted = next(plan)
        while True:
            missing = {key(call.name, call.arguments): call for call in wanted if exchange.result(call) is None}
            if missing:
                return list(missing.values())
            is_partial |= not exchange.may_call and any(
                call.name in exchange.tools and key(call.name, call.arguments) not in exchange.results
                for call in wanted
            )
            results = [result for call in wanted if (result := exchange.result(call)) is not None]
            failures += [said(result) for result in results if _is_failed(result)]
            wanted = plan.send(results)
    except StopIteration as end:
        page: Page = end.value
        if failures:
            page.take_back(failures)
        if is_partial:
            page.open_with(_PARTIAL)
        return page


def key(name: str, arguments: Mapping[str, object]) -> str:
    """Give the text under which a call's result is found again."""
    return f"{name} {json.dumps(dict(arguments), sort_keys=True, default=str)}"


def _is_failed(look: ToolResult) -> bool:
    return look.error is not None and look.error.code != "not_found"  # that a file doesn't exist is an answer, too


def _prompt(message: Message) -> str:
    """Return the first text of a user message: what follows it was added by the kernel."""
    return next((part.text for part in message.parts if isinstance(part, Text)), "")


def _failure(code: str, message: str) -> ToolResult:
    return ToolResult(False, error=ToolError(code, message))  # type: ignore[arg-type]
