"""Provider for one service, its key and its models."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import Delta, HttpService, Limits, ModelInfo, ModelRequest, Price, ProviderError, ProviderNote, join_deltas
from inarch_plugins.anthropic.versions import is_adaptive, takes_budget, version_of

if TYPE_CHECKING:
    from inarch import KnownModel
    from inarch_plugins.anthropic.events import Events
    from inarch_plugins.anthropic.messages_request import Encoder

KEY = "ANTHROPIC_API_KEY"
DRAIN_S = 0.05
"""Seconds that the end of a response may take after all content has come."""
FOR_AN_HOUR = Decimal(2)
"""Price of caching input for an hour, as a multiple of its price (Anthropic, page on caching, as of Nov 2026)."""
_REFUSED_THOUGHT = re.compile(r"invalid .?signature.? in .?(redacted_)?thinking", re.I)
_NO_CREDIT = re.compile(r"credit balance|billing", re.I)


@define(eq=False, repr=False)
class Anthropic:
    """`ModelProvider` over Messages.

    Args:
        cache: How long the service caches its input, `5m` or `1h`; empty for not at all.
    """

    service: HttpService
    default_model: str
    default_decision_model: str
    cache: str = "5m"
    extra: Mapping[str, Any] = field(factory=dict)
    missing: ProviderError | None = None
    a_minute: Limits = field(factory=Limits)
    name: str = field(init=False, default="anthropic")
    _listed: dict[str, Limits] = field(init=False, factory=dict)
    _encoder: Encoder | None = field(init=False, default=None)

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply."""
        from inarch_plugins.anthropic.events import Events
        from inarch_plugins.anthropic.messages_request import Encoder

        self.check_key(request.model)
        encoder = self._encoder = self._encoder or Encoder(self.cache, self.extra)
        events, most_output = Events(self.service), self.limits(request.model).output_tokens
        while True:
            body = encoder.body(request, most_output, events.content)
            try:
                async with aclosing(self._streamed(body, events)) as deltas:
                    async for delta in deltas:
                        yield delta
            except ProviderError as error:
                is_of_a_thought = error.status == 400 and _REFUSED_THOUGHT.search(error.message)
                if not is_of_a_thought or events.has_begun or not encoder.leave_out_thoughts(request):
                    raise self._clearer(error) from None
                yield ProviderNote(f"{self.name}: earlier thoughts were refused and are left out ({error.message})")
                continue
            if not events.goes_on():
                break
        for delta in events.end():
            yield delta

    async def models(self) -> Sequence[ModelInfo]:
        """Ask the service for its models."""
        self.check_key("")
        try:
            answer = await self.service.get("/v1/models?limit=1000")
        except ProviderError as error:
            raise self._naming_the_key(error) from None
        rows = answer.get("data") if isinstance(answer, Mapping) else None
        known = [row for row in rows if _is_model(row)] if isinstance(rows, list) else []
        self._listed = {row["id"]: Limits(_count(row, "max_input_tokens"), _count(row, "max_tokens")) for row in known}
        return [
            ModelInfo(
                row["id"], _described(row), _count(row, "max_input_tokens"), str(row.get("retires_at") or "")[:10]
            )
            for row in known
        ]

    def limits(self, model: str) -> Limits:
        """Return the listed limits, else those of the table of known models, and the user's for a minute."""
        limits = self._listed.get(model)
        if limits is None:
            known = _known(model)
            limits = Limits() if known is None else known.limits
        a_minute = self.a_minute
        return evolve(
            limits, requests_per_minute=a_minute.requests_per_minute, tokens_per_minute=a_minute.tokens_per_minute
        )

    def price(self, model: str) -> Price | None:
        """Return the price from the table of known models; caching for an hour costs more."""
        known = _known(model)
        price = None if known is None else known.price
        return price if price is None or self.cache != "1h" else _for_an_hour(price)

    def takes_effort(self, model: str) -> bool:
        """Return whether the model thinks, by its version."""
        version = version_of(model)
        return is_adaptive(version) or takes_budget(version)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self.service.close()

    def check_key(self, model: str) -> None:
        """Refuse every model if there is no usable key."""
        if self.missing is not None:
            raise self.missing.with_text()  # each time a new one: an error collects the traces of where it was raised

    async def _streamed(self, body: bytes, events: Events) -> AsyncGenerator[Delta]:
        async with aclosing(self.service.batches("/v1/messages", body)) as batches:
            async for batch in batches:
                for delta in join_deltas(chain.from_iterable(map(events.read, batch))):
                    yield delta
                if events.has_ended:
                    break
            try:  # read to the end: only then is the connection free for the next request
                async with asyncio.timeout(DRAIN_S):
                    async for _ in batches:
                        pass
            except (TimeoutError, ProviderError):
                pass  # everything that counts has come

    def _clearer(self, error: ProviderError) -> ProviderError:
        """Return the error with this service's remedy."""
        if error.kind == "request" and _NO_CREDIT.search(error.message):
            remedy = "add credit at platform.claude.com, or use another model"
            return ProviderError("quota", error.message, status=error.status, remedy=remedy)
        return self._naming_the_key(error)

    def _naming_the_key(self, error: ProviderError) -> ProviderError:
        return error.with_text(remedy=f"check the key in {KEY}") if error.status == 401 else error


def _known(model: str) -> KnownModel | None:
    from inarch import price_table

    return price_table().find(model, "anthropic")


def _for_an_hour(price: Price) -> Price:
    above = None if price.above is None else (price.above[0], _for_an_hour(price.above[1]))
    return evolve(price, written=price.input * FOR_AN_HOUR, above=above)


def _is_model(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("id"), str)


def _described(row: Mapping[str, Any]) -> str:
    name, retires = row.get("display_name"), row.get("retires_at")
    said = [name] if isinstance(name, str) else []
    return ", ".join([*said, f"retires on {retires[:10]}"] if isinstance(retires, str) else said)


def _count(row: Mapping[str, Any], key: str) -> int | None:
    value = row.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
