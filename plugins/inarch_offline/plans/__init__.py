"""The plans: for each kind of intent, which calls to make and how to answer from what they bring.

A file says one kind of answer. `next_step` picks the plan for a request and carries it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module

from inarch import ModelRequest, PlannedCall
from inarch_offline import following, intents, topic_kinds
from inarch_offline.edits import edit_of
from inarch_offline.exchange import Exchange, Plan, carry_on, read_exchange
from inarch_offline.intents import Intent
from inarch_offline.writing import Page

PLANS = {
    intents.SUMMARIZE: "overview:summarize",
    intents.EXPLAIN: "explaining:explain",
    intents.WHERE: "locating:locate",
    intents.CALLERS: "calling:callers",
    intents.CALLEES: "calling:callees",
    intents.COMPARE: "comparing:compare",
    intents.LIST: "listing:list_things",
    intents.FILE: "outlining:explain_file",
    intents.EDIT: "editing:edit",
    following.SOURCE: "sourcing:show",
    following.VARIANT: "varying:vary",
    topic_kinds.CHANGES: "history:recent_changes",
    topic_kinds.MARKS: "marking:list_marks",
    topic_kinds.FILES: "handling:list_handlers",
    topic_kinds.CONFIGURE: "configuring:configure",
    topic_kinds.DEPENDENTS: "depending:importers",
    topic_kinds.NEEDS: "needing:needs",
    topic_kinds.SUBCLASSES: "inheriting:subclasses",
    topic_kinds.EXISTS: "locating:locate",
    topic_kinds.GUIDE: "documenting:guide",
    topic_kinds.DECLARED: "declaring:declared",
    topic_kinds.RAISES: "raising:exceptions",
    topic_kinds.DECORATORS: "decorating:list_decorators",
    topic_kinds.TESTS: "testing:tests_of",
    topic_kinds.GATHER: "gathering:gather",
    intents.REFUSED: "editing:refuse",
    intents.NEEDS_MODEL: "replying:needs_model",
    intents.HELP: "replying:introduce",
    intents.EMPTY: "replying:introduce",
    intents.UNCLEAR: "replying:ask_back",
    intents.OTHER: "replying:closest",
}
"""Module and function of the plan for each kind of intent; a turn imports the one it needs."""


_LOOKS_BACK = 4
"""Answers among which `it` may have been named: a list in between names nothing."""


def next_step(request: ModelRequest, long: bool = False, added: Sequence[str] = ()) -> Page | list[PlannedCall]:
    """Give the answer to a request, or the calls that are still needed for it.

    Args:
        request: The request.
        long: Whether all there is to say is wanted.
        added: Folders beside the root.
    """
    exchange = _with_its_question(read_exchange(request))
    places = map(following.answered, exchange.answers[:_LOOKS_BACK])
    intent = _read(exchange.prompt, exchange.earlier, next(filter(None, places), ""))
    plan = plan_for(intent._replace(long=True) if long else intent)
    if added:
        from inarch_offline.plans.beside import looked_for_beside

        plan = looked_for_beside(plan, intent, added)
    return carry_on(plan, exchange)


def _with_its_question(exchange: Exchange) -> Exchange:
    """Put the question before `in full` where these words stand alone; an edit is never made twice for them."""
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
    """Read a prompt once: each request of a turn starts its plan anew, with the same one."""
    return intents.parse(prompt, earlier, place)


def plan_for(intent: Intent) -> Plan:
    """Start the plan for an intent."""
    module, _, function = PLANS[intent.kind].partition(":")
    start: Callable[[Intent], Plan] = getattr(import_module(f"{__name__}.{module}"), function)
    return _with_a_word_on_its_language(start(intent), intent.tongue) if intent.tongue else start(intent)


def _with_a_word_on_its_language(plan: Plan, tongue: str) -> Plan:
    """Say first that of a question in another language only some words were understood."""
    page = yield from plan
    page.open_with(
        f"this is read as {tongue}, of which only names and words that stand in the code are understood; English is"
        " understood better"
    )
    return page
