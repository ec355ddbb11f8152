"""What was said in earlier turns, in the form in which the model still sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve

from inarch.contract.beside_events import ContextDropped
from inarch.contract.compaction import EarlierTurn
from inarch.contract.records import Message, ResultPart
from inarch_sdk.elision import result_stub


def by_turns(history: Sequence[EarlierTurn], whole: int, short: int) -> list[EarlierTurn]:
    """Return the last `whole` turns as they are, the `short` ones before those in short form, the others dropped."""
    last = len(history) - whole
    return [
        said if place >= last else said.short() if place >= last - short else said.dropped()
        for place, said in enumerate(history)
    ]


def dropped(reason: str, tokens: int, old: Sequence[EarlierTurn], new: Sequence[EarlierTurn]) -> ContextDropped:
    """Return what is recorded where turns stand in other forms than before."""
    changed = [now for now, was in zip(new, old, strict=True) if now is not was]
    return ContextDropped(
        reason,
        max(0, tokens),
        tuple(said.turn_id for said in changed if said.form == "short"),
        tuple(said.turn_id for said in changed if said.form == "dropped"),
        summaries={said.turn_id: said.messages[0].text for said in changed if said.form == "summary"},
    )


def restored(history: Sequence[EarlierTurn], left_out: Iterable[Mapping[str, Any]]) -> list[EarlierTurn]:
    """Return a kept session's turns with left out what had been left out of them: the data of `context.dropped`."""
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
