"""The plans: for each kind of intent, the calls to make and the answer from their results.

Each module holds one kind of answer. `next_step` turns the question into an intent, the intent into a plan, and
advances the plan. A plan is a generator: it yields batches of calls, is sent their results and returns a page. Each
request restarts the plan and feeds it the results in the messages, so the provider needs no state between requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module

from inarch import ModelRequest, PlannedCall, ToolError, ToolResult
from inarch_brief.offline import intents
from inarch_brief.offline.edits import edit_of
from inarch_brief.offline.exchange import Exchange, Plan, read_exchange
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.page import Page
from inarch_brief.offline.results import key, said

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

_ENDED = "the turn's limit was reached"
_PARTIAL = "this answer is partial: the turn's limit was reached before everything was looked at"
_LOOKS_BACK = 4
"""Answers that may contain the meaning of `it`: a list in between names nothing."""
_ANSWERED = r"(?m)^\s*(?:1\. )?(?:async )?(?:function|method|class|constant|variable|attribute|property) `([^`(:= ]+)"
_FILE = r"(?m)^(\S+\.\w+), [\d,]+ lines?\b"


def next_step(request: ModelRequest, long: bool = False, added: Sequence[str] = ()) -> Page | list[PlannedCall]:
    """Return the answer to a request, or the calls it still needs.

    Args:
        request: The request.
        long: Whether to answer in full.
        added: Folders beside the root.
    """
    exchange = _with_its_question(read_exchange(request))
    places = (re.search(_ANSWERED, text) or re.search(_FILE, text) for text in exchange.answers[:_LOOKS_BACK])
    place = next((found[1] for found in places if found), "")
    intent = _read(exchange.prompt, exchange.earlier, place)
    plan = plan_for(intent._replace(long=True) if long else intent)
    if added:
        from inarch_brief.offline.plans.added_folders import looked_for_beside

        plan = looked_for_beside(plan, intent, added)
    return _carry_on(plan, exchange)


def _with_its_question(exchange: Exchange) -> Exchange:
    """Replace a prompt of only `in full` by the question before it. An edit is not repeated."""
    prompts = [*exchange.earlier, exchange.prompt]
    back = 0
    while back < len(exchange.earlier) and intents.is_in_full(prompts[-1 - back]):
        back += 1
    question = prompts[-1 - back]
    if not back or edit_of(question) is not None:
        return exchange
    return exchange._replace(
        prompt=intents.put_in_full(question), earlier=exchange.earlier[:-back], answers=exchange.answers[back:]
    )


@lru_cache(maxsize=2)
def _read(prompt: str, earlier: tuple[str, ...], place: str) -> Intent:
    """Read a prompt once: each request of a turn restarts its plan with the same prompt."""
    return intents.parse(prompt, earlier, place)


def plan_for(intent: Intent) -> Plan:
    """Start the plan for an intent."""
    module, _, function = PLANS[intent.kind].partition(":")
    start: Callable[[Intent], Plan] = getattr(import_module(f"inarch_brief.offline.{module}"), function)
    return start(intent)


def _carry_on(plan: Plan, exchange: Exchange) -> Page | list[PlannedCall]:
    """Advance a plan as far as results exist: to its page, or to the calls that it needs next."""
    is_partial = False
    failures: list[str] = []
    try:
        wanted = next(plan)
        while True:
            missing = {key(call.name, call.arguments): call for call in wanted if _result(exchange, call) is None}
            if missing:
                return list(missing.values())
            is_partial |= not exchange.may_call and any(
                call.name in exchange.tools and key(call.name, call.arguments) not in exchange.results
                for call in wanted
            )
            results = [result for call in wanted if (result := _result(exchange, call)) is not None]
            failures += [said(result) for result in results if _is_failed(result)]
            wanted = plan.send(results)
    except StopIteration as end:
        page: Page = end.value
        if failures:
            page.take_back(failures)
        if is_partial:
            page.open_with(_PARTIAL)
        return page


def _result(exchange: Exchange, call: PlannedCall) -> ToolResult | None:
    """Return the result of a call, or None if the call is still to be made."""
    known = exchange.results.get(key(call.name, call.arguments))
    if known is not None:
        return known
    if call.name not in exchange.tools:
        return _failure("denied", f"the tool {call.name} is not part of this profile")
    return None if exchange.may_call else _failure("cancelled", f"{call.name} was not called: {_ENDED}")


def _is_failed(look: ToolResult) -> bool:
    return look.error is not None and look.error.code != "not_found"  # a missing file is an answer, too


def _failure(code: str, message: str) -> ToolResult:
    return ToolResult(False, error=ToolError(code, message))  # type: ignore[arg-type]
