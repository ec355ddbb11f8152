"""The plans: for each kind of intent, the calls to make and the answer from their results.

Each module holds one kind of answer. `next_step` turns the question into an intent, the intent into a plan, and
advances the plan. A plan is a generator: it yields batches of calls, is sent their results and returns a page. Each
request restarts the plan and feeds it the results in the messages, so the provider needs no state between requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from inarch import CallPart, Message, ModelRequest, PlannedCall, ResultPart, Text, ToolError, ToolResult
from inarch_brief.offline import intents
from inarch_brief.offline.intents import Intent, parse
from inarch_brief.offline.page import KIND, Page, Plan
from inarch_brief.offline.results import said

PLANS = {
    intents.SUMMARIZE: "plans.overview:summarize",
    intents.EXPLAIN: "plans.places:explain",
    intents.NEEDS_MODEL: "plans.places:explain",
    intents.UNCLEAR: "plans.places:ask_again",
    intents.CALLERS: "plans.callers:callers",
    intents.CALLEES: "plans.callers:callees",
    intents.SOURCE: "plans.callers:source",
    intents.COMPARE: "plans.places:compare",
    intents.LIST: "plans.lists:list_things",
    intents.FILE: "plans.places:explain_path",
    intents.EDIT: "edits:edit",
    intents.REFUSED: "edits:edit",
    intents.CHANGES: "plans.history:recent_changes",
    intents.CONFIGURE: "plans.how_to:configure",
    intents.GUIDE: "plans.how_to:guide",
    intents.TESTS: "plans.callers:tests_of",
    intents.HELP: "plans.replies:introduce",
}
"""Module and function of the plan for each kind of intent; a turn imports only the one it needs."""

MAX_ROUNDS = 12
"""Replies with calls in one turn. The next one answers with the results so far."""
_ENDED = "the turn's limit was reached"
_PARTIAL = "this answer is partial: the turn's limit was reached before everything was looked at"
_LOOKS_BACK = 4
"""Answers that may contain the meaning of `it`: a list in between names nothing."""
_ANSWERED = r"(?m)^\s*(?:1\. )?(?:async )?(?:function|method|class|constant|variable|attribute|property) `([^`(:= ]+)"
_FILE = r"(?m)^(\S+\.\w+), [\d,]+ lines?\b"


class Exchange(NamedTuple):
    """A turn as its request shows it.

    Args:
        prompt: The user's last prompt, without the kernel's additions.
        earlier: The user's earlier prompts, oldest first.
        answers: The texts of the earlier answers, newest first.
        results: The results of this turn's calls, by `_key`.
        tools: Names of the tools that may be called.
        may_call: Whether one more reply with calls is possible.
        is_first: Whether no earlier answer of the session named the planner.
    """

    prompt: str
    earlier: tuple[str, ...]
    answers: tuple[str, ...]
    results: Mapping[str, ToolResult]
    tools: frozenset[str]
    may_call: bool
    is_first: bool


def _key(name: str, arguments: Mapping[str, object]) -> str:
    """Return the key of a call's result."""
    return f"{name} {json.dumps(dict(arguments), sort_keys=True, default=str)}"


def _read_exchange(request: ModelRequest) -> Exchange:
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
                calls[part.id] = _key(part.name, part.arguments)
            elif isinstance(part, ResultPart) and part.call_id in calls:
                results[calls[part.call_id]] = part.result
    rounds = sum(any(isinstance(part, CallPart) for part in message.parts) for message in now)
    before = messages[: max(last, 0)]
    answers = tuple(one.text for one in reversed(before) if one.role == "assistant" and one.text)
    return Exchange(
        prompt=_prompt(messages[last]) if last >= 0 else "",
        earlier=tuple(_prompt(message) for message in before if message.role == "user"),
        answers=answers,
        results=results,
        tools=frozenset(tool.name for tool in request.tools),
        may_call=request.tool_choice != "none" and rounds < MAX_ROUNDS,
        is_first=not any(text.startswith(KIND) for text in answers),
    )


def _prompt(message: Message) -> str:
    """Return the first text of a user message. The kernel added the rest."""
    return next((part.text for part in message.parts if isinstance(part, Text)), "")


def next_step(request: ModelRequest, long: bool = False, added: Sequence[str] = ()) -> Page | list[PlannedCall]:
    """Return the answer to a request, or the calls it still needs."""
    exchange = _read_exchange(request)
    places = (re.search(_ANSWERED, text) or re.search(_FILE, text) for text in exchange.answers[:_LOOKS_BACK])
    place = next((found[1] for found in places if found), "")
    intent = parse(exchange.prompt, exchange.earlier, place)
    module, _, function = PLANS[intent.kind].partition(":")
    start: Callable[[Intent], Plan] = getattr(import_module(f"inarch_brief.offline.{module}"), function)
    plan = start(intent._replace(long=intent.long or long))
    if added:
        from inarch_brief.offline.plans.added_folders import looked_for_beside

        plan = looked_for_beside(plan, intent, added)
    return _carry_on(plan, exchange)


def _carry_on(plan: Plan, exchange: Exchange) -> Page | list[PlannedCall]:
    """Advance a plan as far as results exist: to its page, or to the calls that it needs next."""
    is_partial = False
    failures: list[str] = []
    try:
        wanted = next(plan)
        while True:
            missing = {_key(call.name, call.arguments): call for call in wanted if _result(exchange, call) is None}
            if missing:
                return list(missing.values())
            is_partial |= not exchange.may_call and any(
                call.name in exchange.tools and _key(call.name, call.arguments) not in exchange.results
                for call in wanted
            )
            results = [result for call in wanted if (result := _result(exchange, call)) is not None]
            # A missing file is an answer, too.
            failures += [said(one) for one in results if one.error is not None and one.error.code != "not_found"]
            wanted = plan.send(results)
    except StopIteration as end:
        page: Page = end.value
        page.is_first = exchange.is_first
        if failures:
            page.take_back(failures)
        if is_partial:
            page.open_with(_PARTIAL)
        return page


def _result(exchange: Exchange, call: PlannedCall) -> ToolResult | None:
    """Return the result of a call, or None if the call is still to be made."""
    known = exchange.results.get(_key(call.name, call.arguments))
    if known is not None:
        return known
    if call.name not in exchange.tools:
        return ToolResult(False, error=ToolError("denied", f"the tool {call.name} is not part of this profile"))
    if exchange.may_call:
        return None
    return ToolResult(False, error=ToolError("cancelled", f"{call.name} was not called: {_ENDED}"))
