"""What was said in earlier turns, in the form in which the model still sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from attrs import evolve

from inarch.contract.frozen import frozen
from inarch.contract.records import Message, ResultPart, Text
from inarch.turns.context.elision import STUB_CHARACTERS, characters, stub

Form = Literal["whole", "short", "dropped"]


@frozen
class Said:
    """What was said in one turn, as the model will see it; `form` is whole, short (prompt and answer) or dropped."""

    turn_id: str
    messages: tuple[Message, ...]
    form: Form = "whole"

    def short(self) -> Said:
        """Return the prompt and the final answer of the turn; its calls go with their results."""
        if self.form != "whole":
            return self
        prompt = next((m for m in self.messages if m.role == "user"), None)
        answer = next((m for m in reversed(self.messages) if m.role == "assistant" and m.text), None)
        kept = []
        if prompt is not None:
            kept.append(Message("user", tuple(part for part in prompt.parts if isinstance(part, Text))[:1]))
        if answer is not None:
            kept.append(Message("assistant", (Text(answer.text),)))
        return Said(self.turn_id, tuple(kept), "short")

    def dropped(self) -> Said:
        """Return the turn without anything to see."""
        return self if self.form == "dropped" else Said(self.turn_id, (), "dropped")


def by_turns(history: Sequence[Said], whole: int, short: int) -> list[Said]:
    """Return the last `whole` turns as they are, the `short` ones before those in short form, the others dropped."""
    last = len(history) - whole
    return [
        said if place >= last else said.short() if place >= last - short else said.dropped()
        for place, said in enumerate(history)
    ]


def restored(history: Sequence[Said], dropped: Iterable[Mapping[str, Any]]) -> list[Said]:
    """Return a kept session's turns with left out what had been left out of them: the data of `context.dropped`."""
    forms: dict[str, str] = {}
    refs: dict[str, str] = {}
    for data in dropped:
        forms |= dict.fromkeys(data.get("shortened") or (), "short") | dict.fromkeys(data.get("turns") or (), "dropped")
        refs |= data.get("results") or {}
    return [_restored(said, forms.get(said.turn_id), refs) for said in history]


def _restored(said: Said, form: str | None, refs: Mapping[str, str]) -> Said:
    if form == "dropped":
        return said.dropped()
    if form == "short":
        return said.short()
    if not refs:
        return said
    return evolve(said, messages=tuple(_without(message, refs) for message in said.messages))


def _without(message: Message, refs: Mapping[str, str]) -> Message:
    if not any(isinstance(part, ResultPart) and part.call_id in refs for part in message.parts):
        return message
    parts = (
        evolve(part, result=stub(part.result, refs[part.call_id]))
        if isinstance(part, ResultPart) and part.call_id in refs and characters(part.result) > STUB_CHARACTERS
        else part
        for part in message.parts
    )
    return Message(message.role, tuple(parts))
