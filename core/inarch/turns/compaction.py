"""Shortening of a conversation that is too long: each compaction in turn, until the next request fits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve

from inarch.contract.codec import to_data
from inarch.contract.compaction import Compacted, Crowded, EarlierTurn
from inarch.contract.errors import InarchError, ProviderError, StoreError, ToolFailed
from inarch.contract.events import Note
from inarch.contract.guard import guarded, pending
from inarch.contract.other_events import ContextDropped
from inarch.contract.records import CallPart, Message, ResultPart, ToolResult
from inarch.journal.journal import keep_packed
from inarch.turns.meter import LimitReached
from inarch.turns.session_state import SessionState
from inarch_sdk.figures import dropped_words
from inarch_sdk.result_text import result_text
from inarch_sdk.short_data import result_stub

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction, Crowding
    from inarch.plugins.registration import Bound
    from inarch.turns.run import TurnRun


COMPACTED_FACTOR = 4
"""Multiple of `context_turns` that a compaction leaves in short form before the last `context_turns` turns."""


async def compacted(
    run: TurnRun, compactions: Sequence[Bound[Compaction]], room: float, reason: Crowding, model: str, *, strict: bool
) -> ContextDropped:
    """Shorten a conversation to at most `room` tokens, and return what the model no longer sees.

    Args:
        run: The turn.
        compactions: The compactions to call, in this order.
        room: Token limit of the messages.
        reason: Why it must be shortened.
        model: The model to ask, by its full name.
        strict: Whether to raise an error if dropping everything optional is not enough; otherwise accept that.

    Raises:
        ProviderError: Not even the prompt and the newest step fit; the remedy says what to do.
    """
    state, kept = run.state, run.state.config.profile.context_turns
    whole = Crowded(
        tuple(state.history),
        tuple(run.messages),
        room,
        reason,
        model,
        partial(_size, state, model),
        partial(_store_result, state),
        run.asker.ask,
    )
    # The profile's rule comes first; each compaction then gets the result of the one before it.
    before = tuple(by_turns(whole.earlier, kept, kept * COMPACTED_FACTOR)) if compactions else whole.earlier
    crowded, done = evolve(whole, earlier=before), Compacted(before, whole.running)
    for one in compactions:
        try:
            with guarded(one.plugin, "compaction", (ProviderError, ToolFailed, LimitReached)):
                asking = evolve(crowded, ask=partial(run.asker.ask, plugin=one.plugin))
                found = checked_compacted(await pending(one.value.compact(asking), "compact"), crowded)
        except (InarchError, LimitReached) as error:  # if a compaction cannot afford it, the turn itself may
            run.skipped(f"compaction {one.value.name!r}", error)
            continue
        if found is not None:
            done = found.after(done)
            crowded = evolve(crowded, earlier=done.earlier, running=done.running)
            if crowded.tokens <= room:
                break
    if strict and crowded.tokens > room:
        raise _cannot_fit(crowded, bool(state.parts.compactions))
    run.messages[:] = done.running
    state.go_on_with(done.earlier)
    left_out = dropped(reason, int(whole.tokens - crowded.tokens), whole.earlier, done.earlier)
    running = _store_running(run) if done.running != whole.running else ""
    return evolve(
        left_out, results=done.results, steps=done.steps, structure=done.structure, added=done.added, running=running
    )


def checked_compacted(value: object, crowded: Crowded) -> Compacted | None:
    """Return a compaction's answer.

    Raises:
        TypeError: It is not the given conversation; another one could neither be sent nor resumed.
    """
    if value is None:
        return None
    if not isinstance(value, Compacted):
        raise TypeError(f"compact returned {value!r:.60}, not an inarch.Compacted or None")
    # A resume knows the turns by position and form only.
    if len(value.earlier) != len(crowded.earlier) or not all(map(_is_form_of, value.earlier, crowded.earlier)):
        raise TypeError("compact returned other earlier turns than it was given, in other forms than there are")
    if not value.running or value.running[0].parts[:1] != crowded.running[0].parts[:1]:
        raise TypeError("compact returned a turn that doesn't begin with its prompt")
    if not _is_answered(value.running):
        raise TypeError("compact returned calls without their results, or results without their calls")
    return value


def _is_form_of(now: EarlierTurn, was: EarlierTurn) -> bool:
    # A compaction words a summary freely, so only its form is compared.
    forms = (was, was.short(), was.dropped(), was.summary(now.messages[0].text if now.messages else ""))
    return now in forms


def _is_answered(messages: tuple[Message, ...]) -> bool:
    waiting: list[str] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, CallPart):
            waiting.append(part.id)
        elif isinstance(part, ResultPart):
            if part.call_id not in waiting:
                return False
            waiting.remove(part.call_id)
    return not waiting


def _store_running(run: TurnRun) -> str:
    """Store the running turn's messages, as models see them, and return the reference; "" if they cannot be stored."""
    messages = [run.state.asked.hiding.message(message) for message in run.messages]
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
        else "compose with the built-in parts, or with a plugin that provides a compaction",
    )


def _size(state: SessionState, model: str, message: Message) -> float:
    measure, known = state.asked.counter.message(message), state.asked.counter.calibration(model)
    return (measure.words * known.ratio + measure.images) * (1 + known.margin)


def _store_result(state: SessionState, result: ToolResult) -> str:
    # A result that was cut is stored whole already.
    ref = result.metadata.get("output_ref")
    if ref:
        return str(ref)
    text = result_text(result)
    try:
        return state.journal.store.put_blob(state.journal.session_id, text.encode("utf-8", "surrogatepass"))
    except StoreError:
        return ""  # the session's record still has it


def by_turns(history: Sequence[EarlierTurn], whole: int, short: int) -> list[EarlierTurn]:
    """Return the last `whole` turns unchanged, the `short` ones before those in short form, the others dropped."""
    last = len(history) - whole
    return [
        said if place >= last else said.short() if place >= last - short else said.dropped()
        for place, said in enumerate(history)
    ]


def dropped(reason: str, tokens: int, old: Sequence[EarlierTurn], new: Sequence[EarlierTurn]) -> ContextDropped:
    """Return the event data for turns that have changed their form."""
    changed = [now for now, was in zip(new, old, strict=True) if now is not was]
    return ContextDropped(
        reason,
        max(0, tokens),
        tuple(said.turn_id for said in changed if said.form == "short"),
        tuple(said.turn_id for said in changed if said.form == "dropped"),
        summaries={said.turn_id: said.messages[0].text for said in changed if said.form == "summary"},
    )


def compact(state: SessionState, history: list[EarlierTurn], reason: Literal["turns", "asked"]) -> ContextDropped:
    """Replace the model's view of earlier turns by `history`; record what that leaves out."""
    tokens = _tokens(state, state.history) - _tokens(state, history)
    left_out = dropped(reason, tokens, state.history, history)
    state.go_on_with(history)
    record(state, left_out, None)
    # A turn left out for "turns" was never sent, so the next request still continues the last one.
    if left_out and reason == "asked":
        state.asked.prefix.pending = "compaction"
    return left_out


def record(state: SessionState, left_out: ContextDropped, turn_id: str | None) -> None:
    """Record what is left out from now on, and show a note unless the user or the profile's rule asked for it."""
    if not left_out:
        return
    state.journal.record(left_out, turn_id)
    if left_out.reason in ("window", "refused", "early"):
        why = "before the model's window is full" if left_out.reason == "early" else "to fit the model's window"
        said = f"left out {why}: {dropped_words(to_data(left_out))}"
        state.journal.record(Note(said, "context"), turn_id)


def _tokens(state: SessionState, history: Iterable[EarlierTurn]) -> int:
    return sum(sum(state.asked.counter.message(message)) for said in history for message in said.messages)


def restored(history: Sequence[EarlierTurn], left_out: Iterable[Mapping[str, Any]]) -> list[EarlierTurn]:
    """Return a stored session's turns without what was left out of them, given the data of `context.dropped`."""
    changes: dict[str, Callable[[EarlierTurn], EarlierTurn]] = {}
    refs: dict[str, str] = {}
    for data in left_out:
        changes |= dict.fromkeys(data.get("shortened") or (), EarlierTurn.short)
        changes |= {one: partial(EarlierTurn.summary, text=text) for one, text in (data.get("summaries") or {}).items()}
        changes |= dict.fromkeys(data.get("turns") or (), EarlierTurn.dropped)
        refs |= data.get("results") or {}
    return [_restored(said, changes.get(said.turn_id), refs) for said in history]


def _restored(
    said: EarlierTurn, change: Callable[[EarlierTurn], EarlierTurn] | None, refs: Mapping[str, str]
) -> EarlierTurn:
    if change is not None:
        return change(said)
    return evolve(said, messages=tuple(_without(message, refs) for message in said.messages)) if refs else said


def _without(message: Message, refs: Mapping[str, str]) -> Message:
    if not any(isinstance(part, ResultPart) and part.call_id in refs for part in message.parts):
        return message
    parts = (
        evolve(part, result=result_stub(part.result, refs[part.call_id]))
        if isinstance(part, ResultPart) and part.call_id in refs
        else part
        for part in message.parts
    )
    return Message(message.role, tuple(parts))
