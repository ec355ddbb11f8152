"""Where a session's tokens went, and how `inarch sessions show` tells it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch import CallPart, Event, Message, ResultPart, Text
from inarch.figures import dropped_words
from inarch.host import STRUCTURE_TITLE, TokenCounter
from inarch_sdk.context_breaks import REASONS


@define(eq=False, repr=False)
class TokensWent:
    """What a kept session, or some turns of it, consisted of, each thing counted once."""

    _learned: TokenCounter = field(init=False, factory=TokenCounter)
    _model: str = field(init=False, default="")
    _sums: dict[str, list[int]] = field(init=False, factory=dict)

    def add(self, messages: Iterable[Message], events: Iterable[Event]) -> None:
        """Add messages, and what their events say about how models count."""
        for event in events:
            if event.kind == "model.replied" and event.data.get("purpose") == "turn":
                self._learned.recall((event,))
                self._model = str(event.data.get("model", ""))
        counter = TokenCounter()  # it holds what it has measured
        for message in messages:
            for name, part in _parts(message):
                row = self._sums.setdefault(name, [0, 0])
                row[0] += 1
                row[1] += sum(counter.message(Message(message.role, (part,))))

    def rows(self) -> list[tuple[str, int, int]]:
        """Return name, how many, and likely tokens, the most first."""
        ratio = self._learned.calibration(self._model).ratio
        rows = ((name, many, round(tokens * ratio)) for name, (many, tokens) in self._sums.items())
        return sorted(rows, key=_largest_first)


def _parts(message: Message) -> Iterable[tuple[str, Any]]:
    for place, part in enumerate(message.parts):
        if isinstance(part, ResultPart):
            yield f"results of {part.name}", part
        elif isinstance(part, CallPart):
            yield "calls", part
        elif isinstance(part, Text) and message.role == "user":
            is_structure = part.text.startswith(STRUCTURE_TITLE)
            yield "project structure" if is_structure else "prompts" if place == 0 else "added to prompts", part
        elif isinstance(part, Text):
            yield "answers", part


def _largest_first(row: tuple[str, int, int]) -> tuple[int, str]:
    return -row[2], row[0]


def where_lines(
    rows: Sequence[tuple[str, int, int]], left_out: Iterable[Mapping[str, Any]], where: str = ""
) -> Iterator[str]:
    """Yield the part of `inarch sessions show` that tells where tokens went; nothing where there were none."""
    if not rows:
        return
    yield f"where tokens went{where}, about, each thing counted once:"
    wide = max(len(name) for name, _, _ in rows)
    for name, many, tokens in rows:
        yield f"{name:<{wide}}  {tokens:>9,}  × {many}"
    for data in left_out:
        reason = str(data.get("reason", ""))
        yield f"left out ({REASONS.get(reason, reason)}): {dropped_words(data)}"
