"""The model provider `live`, for turns in text and for turns of a spoken session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any

from attrs import define, field

import inarch
from inarch_live.conversation import Conversation
from inarch_live.live_prices import rates_of
from inarch_live.playback import Playback
from inarch_live.port import LiveProvider, LiveSetup

NAME = "live"


class _NoSession:
    id = ""


class Nobody:
    """A `Talk` for a request without a spoken session."""

    session: Any = _NoSession()

    def say(self, text: str, around: object) -> None:
        """Do nothing, because there is only one request."""

    def hidden(self, text: str) -> str:
        """Return the text unchanged, because it is not shown."""
        return text

    cancel = changed = tell = lambda self, *given: None


@define(eq=False, repr=False)
class LiveModel:
    """Answers requests over live services."""

    find: Callable[[str], tuple[LiveProvider, str]]
    prices: Mapping[str, Any] = field(factory=dict)
    default: str = ""
    conversation: Conversation | None = None
    name: str = field(init=False, default=NAME)

    @property
    def default_model(self) -> str:
        """The model to use if none is named."""
        return self.default

    default_decision_model = default_model

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Stream a reply.

        Raises:
            ProviderError: The service refused, failed or was cut off.
        """
        spoken = self.conversation
        replying = spoken.answer(request) if spoken is not None and spoken.takes(request) else self._alone(request)
        async with aclosing(replying) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                yield delta

    async def _alone(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Answer over a separate connection without audio."""
        provider, model = self.find(request.model)
        alone = Conversation(
            provider, LiveSetup(model=model), {}, Playback(has_device=False), rates_of(model, self.prices), speaks=False
        )
        alone.turns.talk, alone.turns.is_running = Nobody(), True
        try:
            async with aclosing(alone.answer(request)) as deltas:  # type: ignore[type-var]
                async for delta in deltas:
                    yield delta
        finally:
            await alone.aclose()

    async def models(self) -> Sequence[inarch.ModelInfo]:
        """Return the known models; services may offer more."""
        return [inarch.ModelInfo(self.default)]

    def limits(self, model: str) -> inarch.Limits:
        """Return the known limits of a model."""
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        """Return the price to reserve for a model's tokens, None if unknown."""
        with suppress(inarch.InarchError):
            rates = rates_of(model.rpartition("/")[2], self.prices)
            return None if rates is None else rates.price
        return None

    def check_key(self, model: str) -> None:
        """Raise an error if the model's key is missing."""
        self.find(model)

    async def close(self) -> None:
        """Do nothing: connections belong to the owner of the conversation."""
