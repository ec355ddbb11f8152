"""Asks the model with as much of the conversation as it has room for, always as a continuation of what it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from inarch.contract.errors import ProviderError
from inarch.contract.events import Note
from inarch.contract.records import Reply
from inarch.turns.context.fitting import answering_in, make_room, room_after, shrink
from inarch.turns.context.fixing import begin_anew, fix, go_on
from inarch.turns.limits import LimitReached
from inarch_sdk.accumulator import TOO_LONG

if TYPE_CHECKING:
    from inarch.turns.run import TurnRun

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
    state, model = run.state, answering_in(run).full_name
    room = room_after(error, state.counter.count(run.request(), model))
    state.refused[model] = room
    begin_anew(run, "compaction")  # a model with so little is told of fewer tools, too
    if not await shrink(run, room, "refused", strict=False) and state.counter.count(run.request(), model) > room:
        del state.refused[model]
        raise error
    state.journal.record(Note(f"{model}: {error.message}; asking once more with less", "context"), run.turn.id)
    request = run.request(tool_choice)
    reply = await _ask(run, tool_choice)
    state.refused[model] = max(room, state.counter.count(request, model))
    return reply
