"""Makes a conversation that is too long shorter: each compaction in turn, until the next request fits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from attrs import evolve

from inarch.contract.beside_events import ContextDropped
from inarch.contract.codec import to_data
from inarch.contract.compaction import Compacted, Crowded
from inarch.contract.errors import InarchError, ProviderError, StoreError, ToolFailed
from inarch.contract.guarding import guarded
from inarch.contract.records import Message, ToolResult
from inarch.journal.packing import keep_packed
from inarch.turns.checking import checked_compacted, pending
from inarch.turns.context.earlier_turns import by_turns, dropped
from inarch.turns.limits import LimitReached
from inarch.turns.session_state import COMPACTED_FACTOR, SessionState
from inarch_sdk.result_text import result_text

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction, Crowding
    from inarch.plugins.composition import Bound
    from inarch.turns.run import TurnRun


async def compacted(
    run: TurnRun, compactions: Sequence[Bound[Compaction]], room: float, reason: Crowding, model: str, *, strict: bool
) -> ContextDropped:
    """Let the model see a conversation of at most `room` tokens, and return what it doesn't see any more.

    Args:
        run: The turn.
        compactions: Which are called, in this order.
        room: Tokens that the messages may have.
        reason: Why something has to go.
        model: Who is asked, by its full name.
        strict: Whether it is an error where all that may go is not enough; otherwise that is taken.

    Raises:
        ProviderError: Not even the prompt and the newest step fit; it says what to do.
    """
    state, kept = run.state, run.state.config.profile.context_turns
    whole = Crowded(
        tuple(state.history),
        tuple(run.messages),
        room,
        reason,
        model,
        partial(_size, state, model),
        partial(_keep, state),
        run.asker.ask,
    )
    before = tuple(by_turns(whole.earlier, kept, kept * COMPACTED_FACTOR)) if compactions else whole.earlier
    crowded, done = evolve(whole, earlier=before), Compacted(before, whole.running)
    for one in compactions:
        try:
            with guarded(one.plugin, "compaction", (ProviderError, ToolFailed, LimitReached)):
                asking = evolve(crowded, ask=partial(run.asker.ask, plugin=one.plugin))
                found = checked_compacted(await pending(one.value.compact(asking), "compact"), crowded)
        except (InarchError, LimitReached) as error:  # what a compaction can't afford, the turn itself still may
            run.skipped(f"compaction {one.value.name!r}", error)
            continue
        if found is not None:
            done = found.after(done)
            crowded = evolve(crowded, earlier=done.earlier, running=done.running)
            if crowded.tokens <= room:
                break
    if strict and crowded.tokens > room:
        raise _cannot_fit(crowded, bool(state.compactions))
    run.messages[:] = done.running
    state.go_on_with(done.earlier)
    left_out = dropped(reason, int(whole.tokens - crowded.tokens), whole.earlier, done.earlier)
    running = _kept(run) if done.running != whole.running else ""
    return evolve(
        left_out, results=done.results, steps=done.steps, structure=done.structure, added=done.added, running=running
    )


def _kept(run: TurnRun) -> str:
    """Keep the messages of the running turn, as models see them, and return the reference; empty if they can't be."""
    messages = [run.state.hiding.message(message) for message in run.messages]
    return keep_packed(run.state.journal, json.dumps(to_data(messages)))


def _cannot_fit(crowded: Crowded, was_tried: bool) -> ProviderError:
    has = (
        f"room for {int(crowded.room)}" if crowded.room > 0 else "no room for them beside the system text and the tools"
    )
    why = "" if was_tried else "; nothing is composed that makes a conversation shorter"
    return ProviderError(
        "context_length",
        f"the prompt and what this step needs have about {int(crowded.tokens)} tokens, and the model has {has}{why}",
        remedy="ask about less or mention fewer files, leave plugins out with -p no:NAME, or name a model with a "
        "larger window with --model"
        if was_tried
        else "compose with the built-in parts, or with a plugin that brings a compaction",
    )


def _size(state: SessionState, model: str, message: Message) -> float:
    measure, known = state.counter.message(message), state.counter.calibration(model)
    return (measure.words * known.ratio + measure.images) * (1 + known.margin)


def _keep(state: SessionState, result: ToolResult) -> str:
    ref = result.metadata.get("output_ref")
    if ref:
        return str(ref)
    text = result_text(result)
    try:
        return state.journal.store.put_blob(state.journal.session_id, text.encode("utf-8", "surrogatepass"))
    except StoreError:
        return ""  # the session's record still has it
