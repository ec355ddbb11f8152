"""What a model sees of a conversation."""

from __future__ import annotations

from decimal import Decimal

from attrs import field, frozen

from inarch.contract.errors import PluginError
from inarch.contract.records import ModelRequest, Usage
from inarch.turns.context.context_fit import window_of
from inarch.turns.context.prefix import Fixed
from inarch.turns.context.token_count import Calibration, Report, Row
from inarch.turns.kernel_texts import system_text
from inarch.turns.models import Choice
from inarch.turns.session_state import SessionState
from inarch_sdk.usage import cost_of


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
        request: The request itself, as its provider gets it.
    """

    model: str
    window: int | None
    rows: tuple[Row, ...]
    turns: tuple[int, int, int]
    counted: int
    cost_usd: Decimal | None
    calibration: Calibration
    last: Report | None
    request: ModelRequest = field(repr=False)

    @property
    def tokens(self) -> int:
        """The likely tokens of all rows."""
        return sum(row.tokens for row in self.rows)


def view_context(state: SessionState) -> ContextView:
    """Return what the next request of a conversation begins with, before its prompt.

    Raises:
        ConfigError: The profile's model isn't there.
    """
    choice = state.parts.choose(state.config.profile.model)
    model = choice.full_name
    window = window_of(choice, state)
    fixed = state.asked.prefix.fixed.get(choice.provider.value.name) or Fixed(
        system_text(state.instructions), state.tools.for_model(model, window)
    )
    request = ModelRequest(model, fixed.system, tuple(state.earlier_messages()), fixed.tools)
    short = sum(len(said.messages) for said in state.history if said.form == "short")
    rows = state.asked.counter.breakdown(request, short=short, instructions=state.instructions)
    forms = [said.form for said in state.history]
    return ContextView(
        model,
        window,
        tuple(rows),
        (forms.count("whole"), forms.count("short"), state.gone),
        state.asked.counter.count(request),
        _cost(choice, sum(row.tokens for row in rows)),
        state.asked.counter.calibration(model),
        state.asked.counter.last,
        state.asked.hiding.request(request),
    )


def _cost(choice: Choice, tokens: int) -> Decimal | None:
    try:
        price = choice.price
    except PluginError:
        return None
    return None if price is None else cost_of(Usage(tokens), price)
