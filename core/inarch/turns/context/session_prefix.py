"""What each request of a session begins with: fixed as it begins and kept with it; what is new is a message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve

from inarch.calls.offered_tools import GATEWAY
from inarch.contract.codec import to_data
from inarch.contract.compaction import EarlierTurn
from inarch.contract.errors import PluginError, ProviderError, StoreError
from inarch.contract.events import Broken, ContextBroken, ContextFixed, Note
from inarch.contract.records import Reply, ToolSpec
from inarch.journal.journal import keep_packed, unpacked
from inarch.turns.context.context_fit import make_room, room_after, shrink, window_of
from inarch.turns.context.prefix import Fixed, digest_of
from inarch.turns.kernel_texts import GONE_INSTRUCTIONS, NEW_INSTRUCTIONS, NEW_TOOLS, system_text
from inarch.turns.limits import LimitReached
from inarch_sdk.accumulator import TOO_LONG
from inarch_sdk.message_cache import without_thoughts
from inarch_sdk.result_text import json_text

if TYPE_CHECKING:
    from inarch.turns.run import TurnRun
    from inarch.turns.session_state import SessionState


NEWS_OF_INSTRUCTIONS, NEWS_OF_TOOLS = "new instructions", "new tools"
"""Sources of what is added because it differs from what the conversation began with."""


def fix(run: TurnRun) -> None:
    """Fix the system text and the tools for the service that is asked next, if that was not done yet."""
    state, choice = run.state, run.answering
    if choice.provider.value.name in state.asked.prefix.fixed:
        return
    tools = state.tools.for_model(choice.full_name, window_of(choice, state))
    _keep(run, Fixed(system_text(state.instructions), tools, digest_of(state.instructions)))


def go_on(run: TurnRun) -> None:
    """See to it that the next request continues the last one; otherwise record why, and begin anew."""
    state, choice = run.state, run.answering
    request = state.asked.hiding.request(run.request())
    why = state.asked.prefix.broken(choice.provider.value.name, request, state.journal.redactor.version)
    if why is not None:
        begin_anew(run, why)


def begin_anew(run: TurnRun, why: Broken) -> None:
    """Record that the next request does not continue the last one.

    What only services can read is left out then, unless another service is asked.
    """
    state, model = run.state, run.answering.full_name
    state.journal.record(ContextBroken(why, model, len(run.earlier) + len(run.messages)), run.turn.id)
    if why != "service":
        state.asked.prefix.begin_anew()
        state.history[:] = [_plain(said) for said in state.history]
        run.earlier[:] = state.earlier_messages()
        run.messages[:] = without_thoughts(run.messages)
    fix(run)


def tell_news(run: TurnRun, *, apart: bool) -> None:
    """Tell the model what differs by now from what its requests begin with: instructions that changed, tools that came.

    Args:
        run: The turn.
        apart: Whether that is a message of its own; otherwise it belongs to the prompt.
    """
    state, choice = run.state, run.answering
    try:
        state.take_late_tools()
    except PluginError as error:
        run.skipped("what knows of new tools", error)
    fixed = state.asked.prefix.fixed.get(choice.provider.value.name)
    if fixed is None:
        return
    now = digest_of(state.instructions)
    tools = state.tools.for_model(choice.full_name, window_of(choice, state))
    late = [spec for spec in tools if spec.name not in fixed.known]
    if now == fixed.instructions and not late:
        return
    _keep(run, evolve(fixed, instructions=now, late=(*fixed.late, *(spec.name for spec in late))))
    if now != fixed.instructions:
        text = NEW_INSTRUCTIONS.format(state.instructions) if state.instructions else GONE_INSTRUCTIONS
        run.add(NEWS_OF_INSTRUCTIONS, text, apart=apart)
    if late:
        listed = (f"- {one.name}: {one.description}\n  arguments: {json_text(one.input_schema)}" for one in late)
        run.add(NEWS_OF_TOOLS, NEW_TOOLS.format(GATEWAY.name, "\n".join(listed)), apart=apart)


def kept(data: Mapping[str, Any], blob: Callable[[str], bytes]) -> Fixed | None:
    """Return what a session was begun with, from the data of its `context.fixed`; None if it can't be read."""
    try:
        system, tools = (unpacked(blob, data[name]) for name in ("system", "tools"))
        specs = tuple(ToolSpec(one["name"], one["description"], one["input_schema"]) for one in json.loads(tools))
        return Fixed(system, specs, data["instructions"], tuple(data["late"]))
    except (StoreError, ValueError, LookupError, TypeError):
        return None


def _keep(run: TurnRun, fixed: Fixed) -> None:
    state, service = run.state, run.answering.provider.value.name
    state.asked.prefix.fixed[service] = fixed
    system, tools = _kept(state, fixed.system), _kept(state, json.dumps(to_data(fixed.tools), ensure_ascii=False))
    state.journal.record(ContextFixed(service, system, tools, fixed.instructions, fixed.late), run.turn.id)


def _kept(state: SessionState, text: str) -> str:
    """Keep a text beside the events, without secrets, and return its reference; empty if it can't be kept."""
    return keep_packed(state.journal, state.journal.redactor.text(text))


def _plain(said: EarlierTurn) -> EarlierTurn:
    return evolve(said, messages=tuple(without_thoughts(said.messages)))


ToolChoice = Literal["auto", "none"]


async def ask_fitting(run: TurnRun, tool_choice: ToolChoice = "auto") -> Reply:
    """Ask for the next reply of the turn; if the service says that it was too long, ask once more with less.

    Raises:
        ProviderError: As the asker does, or nothing more can be left out.
        LimitReached: The turn can't afford it.
    """
    fix(run)
    await make_room(run)
    try:
        return await _ask(run, tool_choice)
    except ProviderError as error:
        if error.kind == TOO_LONG:
            raise LimitReached("max_reply_bytes", f"stopped: {error.message}; {error.remedy}") from None
        if error.kind != "context_length":
            raise
        return await _ask_with_less(run, error, tool_choice)


async def _ask(run: TurnRun, tool_choice: ToolChoice) -> Reply:
    go_on(run)
    return await run.asker.ask(run.request(tool_choice), tell=lambda text: run.add("model", text, apart=True))


async def _ask_with_less(run: TurnRun, error: ProviderError, tool_choice: ToolChoice) -> Reply:
    """Make a refused request shorter and ask again; what then goes through is what the model has room for."""
    state, model = run.state, run.answering.full_name
    room = room_after(error, state.asked.counter.count(run.request(), model))
    state.asked.refused[model] = room
    begin_anew(run, "compaction")  # a model with so little is told of fewer tools, too
    if not await shrink(run, room, "refused", strict=False) and state.asked.counter.count(run.request(), model) > room:
        del state.asked.refused[model]
        raise error
    state.journal.record(Note(f"{model}: {error.message}; asking once more with less", "context"), run.turn.id)
    request = run.request(tool_choice)
    reply = await _ask(run, tool_choice)
    state.asked.refused[model] = max(room, state.asked.counter.count(request, model))
    return reply
