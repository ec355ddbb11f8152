"""What a model sees of a conversation, and where a session's tokens went."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from attrs import define, field, frozen

from inarch.contract.errors import PluginError
from inarch.contract.events import Event
from inarch.contract.records import CallPart, Message, ModelRequest, ResultPart, Text, Usage
from inarch.turns.context.counting import Calibration, Report, Row, TokenCounter
from inarch.turns.context.fitting import window_of
from inarch.turns.models import Choice, choose_model
from inarch.turns.session_state import SessionState
from inarch.turns.wording import STRUCTURE_TITLE
from inarch_sdk.costs import cost_of


@frozen
class ContextView:
    """What the next request begins with.

    Args:
        model: The full name of the model that would be asked.
        window: Tokens that a request may have, with room kept for the reply; None where nobody knows.
        rows: What the request consists of, in likely tokens.
        turns: How many earlier turns are seen whole, in short form, and not at all.
        counted: The tokens as budgets and windows count them: the upper end.
        cost_usd: What its input costs at the known price; None if unknown.
        calibration: What is known of how the model counts.
        last: What was counted for the last request and what its reply reported.
    """

    model: str
    window: int | None
    rows: tuple[Row, ...]
    turns: tuple[int, int, int]
    counted: int
    cost_usd: Decimal | None
    calibration: Calibration
    last: Report | None

    @property
    def tokens(self) -> int:
        """The likely tokens of all rows."""
        return sum(row.tokens for row in self.rows)


def view_context(state: SessionState) -> ContextView:
    """Return what the next request of a conversation begins with, before its prompt.

    Raises:
        ConfigError: The profile's model isn't there.
    """
    choice = choose_model(state.config.profile.model, state.models, state.environ)
    model = choice.full_name
    request = ModelRequest(model, state.system, tuple(state.earlier_messages()), state.tools)
    short = sum(len(said.messages) for said in state.history if said.form == "short")
    rows = state.counter.breakdown(request, short=short, instructions=state.instructions)
    forms = [said.form for said in state.history]
    return ContextView(
        model,
        window_of(choice, state),
        tuple(rows),
        (forms.count("whole"), forms.count("short"), state.gone),
        state.counter.count(request),
        _cost(choice, sum(row.tokens for row in rows)),
        state.counter.calibration(model),
        state.counter.last,
    )


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


def _cost(choice: Choice, tokens: int) -> Decimal | None:
    try:
        price = choice.price
    except PluginError:
        return None
    return None if price is None else cost_of(Usage(tokens), price)
