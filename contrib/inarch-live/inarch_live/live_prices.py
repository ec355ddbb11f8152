"""Token prices of live models, separate for text and audio."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attrs import fields, frozen

import inarch
from inarch_live.port import LiveUsage

MILLION = Decimal(1_000_000)


@frozen
class Rates:
    """US dollars for a million tokens of each kind."""

    input_text: Decimal
    input_audio: Decimal
    output_text: Decimal
    output_audio: Decimal
    cached_text: Decimal | None = None
    cached_audio: Decimal | None = None

    @property
    def price(self) -> inarch.Price:
        """The price to reserve: that of the dearer kind, because the share of audio is not known in advance."""
        return inarch.Price(max(self.input_text, self.input_audio), max(self.output_text, self.output_audio))

    def cost(self, usage: LiveUsage) -> Decimal:
        """Return the cost of tokens in US dollars."""
        cached_text = self.input_text if self.cached_text is None else self.cached_text
        cached_audio = self.input_audio if self.cached_audio is None else self.cached_audio
        text, audio = min(usage.cached_text, usage.input_text), min(usage.cached_audio, usage.input_audio)
        return (
            self.input_text * (usage.input_text - text) + cached_text * text
            + self.input_audio * (usage.input_audio - audio) + cached_audio * audio
            + self.output_text * usage.output_text + self.output_audio * usage.output_audio
        ) / MILLION  # fmt: skip


def _rates(*dollars: str) -> Rates:
    return Rates(*map(Decimal, dollars))


_GEMINI = _rates("0.75", "3", "4.50", "12")
_REALTIME_2 = _rates("4", "32", "24", "64", "0.40", "0.40")
_REALTIME_MINI = _rates("0.60", "10", "2.40", "20", "0.06", "0.30")
KNOWN: Mapping[str, Rates] = {
    "gemini-3.1-flash-live-preview": _GEMINI,
    "gemini-3.8-live": _GEMINI,
    "gemini-3.8-live-extended-thinking": _GEMINI,
    "gpt-realtime": _rates("4", "32", "16", "64", "0.40", "0.40"),
    "gpt-realtime-2": _REALTIME_2,
    "gpt-realtime-2.1": _REALTIME_2,
    "gpt-realtime-2.1-mini": _REALTIME_MINI,
    "gpt-realtime-mini": _REALTIME_MINI,
}
"""Prices from LiteLLM's table (1.106.2). Other models have no price unless the settings give one."""


def rates_of(model: str, own: Mapping[str, Any]) -> Rates | None:
    """Return a model's prices from the settings, else from the known list, else None.

    Raises:
        UsageError: The settings contain an invalid price.
    """
    given = own.get(model)
    if given is None:
        return KNOWN.get(model)
    names = [one.name for one in fields(Rates)]
    try:
        return Rates(**{name: Decimal(str(value)) for name, value in dict(given).items()})
    except (TypeError, ValueError, ArithmeticError):
        raise inarch.UsageError(
            f"[plugins.live.prices] {model!r} is not understood",
            f"give US dollars for a million tokens: {', '.join(names)} (the last two may be left out)",
        ) from None


def usage_of(usage: LiveUsage, rates: Rates | None) -> inarch.Usage:
    """Return tokens in the form of the session's budgets; the cost is None if the price is unknown."""
    return inarch.Usage(
        usage.input_text + usage.input_audio,
        usage.output_text + usage.output_audio,
        min(usage.cached_text + usage.cached_audio, usage.input_text + usage.input_audio),
        usage.reasoning,
        None if rates is None else rates.cost(usage),
    )
