"""The provider of a replay: it returns the recorded replies under every name that the session used."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define

from inarch import (
    REASONING_INDEX,
    TEXT_INDEX,
    AnsweredBy,
    CallDelta,
    CallPart,
    Delta,
    Finish,
    InarchError,
    Limits,
    Message,
    ModelInfo,
    ModelProvider,
    ModelRequest,
    PartData,
    Price,
    ProviderError,
    ProviderNote,
    Reasoning,
    ReasoningDelta,
    Text,
    TextDelta,
    Usage,
    UsageDelta,
    capabilities,
    from_data,
)
from inarch_plugins.replay.recorded_turn import current_exchange

if TYPE_CHECKING:
    from inarch_plugins.replay.player import Player


@define(eq=False, repr=False)
class RecordedModel:
    """Stand-in for a provider.

    Args:
        name: The provider's name.
        player: Knows the current request.
        real: The provider itself, if composed. It only supplies limits and prices.
        default_model: Unused, because records have full names.
        default_decision_model: The model that the session asked for decisions.
    """

    name: str
    player: Player
    real: ModelProvider | None = None
    default_model: str = "recorded"
    default_decision_model: str = "recorded"

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Return the recorded reply, or fail or break off like it.

        Raises:
            ProviderError: The recorded error, or the record has no reply.
        """
        exchange, turn = current_exchange(), self.player.turn
        replied = exchange.replied if exchange is not None else None
        if exchange is None or replied is None or turn is None:
            raise self.player.no_reply()
        data = replied.data
        for note in turn.notes_in(exchange):
            yield ProviderNote(str(note.data["text"]), note.data["source"] == "repair")
        for delta in deltas_of(data, self.name):
            yield delta
        if data.get("finish") == "error":
            raise recorded_error(data)

    async def models(self) -> Sequence[ModelInfo]:
        """Return no models, because no service is asked."""
        return ()

    def limits(self, model: str) -> Limits:
        """Return the provider's own limits."""
        try:
            return Limits() if self.real is None else self.real.limits(model)
        except InarchError:
            return Limits()

    def price(self, model: str) -> Price | None:
        """Return the provider's own price."""
        try:
            return None if self.real is None else self.real.price(model)
        except InarchError:
            return None

    def takes_effort(self, model: str) -> bool:
        """Return the provider's own answer."""
        thinking = capabilities.able(self.real, capabilities.TakesEffort)
        try:
            return thinking is not None and bool(thinking.takes_effort(model))
        except InarchError:
            return False

    async def close(self) -> None:
        """Close the provider itself."""
        if self.real is not None:
            await self.real.close()


def deltas_of(data: Mapping[str, Any], provider: str) -> Iterator[Delta]:
    """Yield the deltas of a recorded reply, which may be incomplete."""
    message = from_data(Message, data["message"])
    calls = 0
    for part in message.parts:
        opaque = (part.provider_data or {}).get(provider)
        index = 0
        if isinstance(part, Reasoning):
            index = REASONING_INDEX
            yield ReasoningDelta(part.text)
        elif isinstance(part, Text):
            index = TEXT_INDEX
            yield TextDelta(part.text)
        elif isinstance(part, CallPart):
            index = calls
            calls += 1
            arguments = json.dumps(part.arguments, ensure_ascii=False)
            yield CallDelta(index, part.provider_id, part.called or part.name, arguments)
        if opaque is not None:
            yield PartData(index, opaque)
    usage = from_data(Usage, data["usage"])
    if data.get("answered_by"):
        yield AnsweredBy(str(data["answered_by"]), str(data.get("company") or ""))
    if data.get("finish") != "error":
        if usage != Usage():
            yield UsageDelta(usage)
        yield Finish(data["finish"])


def recorded_error(data: Mapping[str, Any]) -> ProviderError:
    """Return the error that ended a request."""
    failure = data.get("failure") or {}
    return ProviderError(
        data["error"],
        failure.get("message") or "the record has no error message",
        status=failure.get("status"),
        retryable=bool(failure.get("retryable")),
        remedy=failure.get("remedy") or "",
        was_sent=bool(failure.get("was_sent", True)),
        told=failure.get("told") or "",
    )
