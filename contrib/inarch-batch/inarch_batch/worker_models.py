"""Model providers for a batch's workers, whose requests first reserve money and a turn in the shared ledger."""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing
from decimal import Decimal
from typing import Any

from attrs import define, evolve, field

import inarch
from inarch_batch.ledger import Ledger

LEAST_OUTPUT = 1_024
"""Output tokens below which a request is not worth the rest of the money."""
_ASSUMED_OUTPUT = 8_192
_OF_A_PICTURE = 3_000
_MOST_PER_BYTE = 0.5
"""Input tokens assumed for each byte of a request until a reply reports them. Text and code take about 0.3."""
_MARGIN = 1.25
_POLL_S = 0.1
_PATIENCE_S = 90.0
"""Longest wait inside a request. Inarch handles longer ones, because it times out after 120 s of silence."""
_LONGEST_S = 60.0
_MILLION = Decimal(1_000_000)
_OUTPUT = (inarch.TextDelta, inarch.ReasoningDelta, inarch.CallDelta)


@define(eq=False, repr=False)
class Purse:
    """The money and rate limits for one attempt at a task."""

    ledger: Ledger
    folder: str
    is_empty: bool = False
    is_unpriced: bool = False
    failure: str = ""
    _per_byte: dict[str, float] = field(factory=dict)

    def wrap(self, composed: Any) -> inarch.Replacements:
        """Wrap the composed model providers so that their requests go through the ledger."""
        return inarch.Replacements(models=[Shared(bound.value, self) for bound in composed.models.values()])

    def counted(self, model: str, size: int) -> int:
        """Return the estimated input tokens of a request with `size` bytes."""
        return math.ceil(size * self._per_byte.get(model, _MOST_PER_BYTE)) + 64

    def learn(self, model: str, size: int, tokens: int) -> None:
        """Update the estimate with a request's actual input tokens."""
        if size and tokens:
            now = tokens / size * _MARGIN
            self._per_byte[model] = max(now, self._per_byte.get(model, 0.0))


@define(eq=False, repr=False, slots=False)
class Shared:
    """A wrapper of a model provider whose requests wait for money and for their turn."""

    provider: inarch.ModelProvider
    purse: Purse

    def __getattr__(self, name: str) -> Any:
        return getattr(self.provider, name)

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Stream the reply once the request has its money and its turn."""
        name = f"{self.provider.name}/{request.model}"
        size = _size(request)
        tokens = self.purse.counted(name, size)
        try:
            place = await self._turn(name, request, tokens)
            hold, request = await self._money(name, request, tokens)
            passed = _Passed(self, name, size, hold, place)
            async with aclosing(self.provider.answer(request)) as deltas:  # type: ignore[type-var]
                async for delta in passed.through(deltas):
                    yield delta
        except (sqlite3.Error, OSError) as error:  # the disk is full, or the output folder gone
            self.purse.failure = f"the ledger of the batch: {error}"
            raise inarch.ProviderError("plugin", self.purse.failure, was_sent=False) from error

    async def _turn(self, name: str, request: inarch.ModelRequest, tokens: int) -> int:
        """Wait until the rate limits allow the request, and return its place in this minute."""
        limits, waited = self.provider.limits(request.model), 0.0
        while True:
            ledger = self.purse.ledger
            seconds, place = ledger.turn(name, tokens, limits.requests_per_minute, limits.tokens_per_minute)
            if not seconds:
                return place
            if seconds > _LONGEST_S or waited + seconds > _PATIENCE_S:
                raise inarch.ProviderError(
                    "rate_limit", f"{name} is asked by other tasks of the batch", retry_after=min(seconds, _LONGEST_S),
                    retryable=True, was_sent=False,
                )  # fmt: skip
            waited += seconds
            await asyncio.sleep(seconds)

    async def _money(self, name: str, request: inarch.ModelRequest, tokens: int) -> tuple[int, inarch.ModelRequest]:
        """Hold a request's highest possible cost, and return the hold and the limited request.

        Wait while other requests hold money that they may give back. The rest of the money buys a shorter reply.
        """
        ledger = self.purse.ledger
        price = self.provider.price(request.model)
        if price is None:
            if ledger.ceiling is None:
                hold, _ = ledger.hold(self.purse.folder, Decimal(0))
                return hold or 0, request
            self.purse.is_unpriced = True
            raise self._broke(f"the price of {name} is unknown, so --max-cost can't be kept", retryable=False)
        output, waited = request.max_output_tokens or _ASSUMED_OUTPUT, 0.0
        while True:
            hold, room = ledger.hold(self.purse.folder, _worst(price, tokens, output))
            if hold is not None:
                shorter = output if ledger.ceiling is not None else request.max_output_tokens
                return hold, evolve(request, max_output_tokens=shorter)
            if room.held == 0:
                least = min(output, LEAST_OUTPUT)
                output = _affordable(price, tokens, room.free)
                if output < least:
                    raise self._broke("the money of the batch is spent (--max-cost)", retryable=False)
                continue
            if ledger.give_up_dead():
                continue
            if waited > _PATIENCE_S:
                raise self._broke("other tasks hold the rest of the money", retryable=True)
            waited += _POLL_S
            await asyncio.sleep(_POLL_S)

    def _broke(self, text: str, *, retryable: bool) -> inarch.ProviderError:
        self.purse.is_empty = True
        # an error kind without a fallback, because another model would spend the same money
        return inarch.ProviderError("plugin", text, retryable=retryable, was_sent=False, remedy="raise --max-cost")


@define(eq=False, repr=False)
class _Passed:
    """A streamed reply and its cost."""

    shared: Shared
    name: str
    size: int
    hold: int
    place: int

    async def through(self, deltas: AsyncIterator[inarch.Delta]) -> AsyncIterator[inarch.Delta]:
        """Yield the deltas, and settle the hold however the reply ends."""
        usage: inarch.Usage | None = None
        has_begun = has_output = is_free = False
        try:
            async for delta in deltas:
                has_begun = True
                if isinstance(delta, inarch.UsageDelta):
                    usage = delta.usage
                has_output = has_output or isinstance(delta, _OUTPUT)
                yield delta
        except inarch.ProviderError as error:
            is_free = (error.status is not None or not error.was_sent) and not has_begun
            if error.kind == "rate_limit" and error.retry_after:
                self.shared.purse.ledger.refused(self.name, error.retry_after)
            raise
        finally:
            self._settle(inarch.credible_usage(usage, has_output=has_output), is_free=is_free)

    def _settle(self, usage: inarch.Usage | None, *, is_free: bool) -> None:
        purse = self.shared.purse
        cost = Decimal(0) if is_free else None
        if usage is not None and not is_free:
            price = self.shared.provider.price(self.name.partition("/")[2])
            cost = usage.cost_usd
            if cost is None and price is not None:
                cost = inarch.cost_of(usage, price)
            purse.learn(self.name, self.size, usage.input_tokens)
            if self.place:
                purse.ledger.corrected(self.place, usage.input_tokens + usage.output_tokens)
        purse.ledger.settle(self.hold, cost)
        purse.is_empty = False


def _size(request: inarch.ModelRequest) -> int:
    """Return a request's size in bytes. Each picture counts as the most tokens that a service bills for one."""
    pictures = 0

    def plain(value: Any) -> Any:
        nonlocal pictures
        if isinstance(value, inarch.Image):
            pictures += 1
            return ""
        return str(value)

    parts = [part for message in request.messages for part in message.parts]
    texts = [plain(part) if isinstance(part, inarch.Image) else inarch.to_data(part) for part in parts]
    told = [request.system, texts, [inarch.to_data(tool) for tool in request.tools]]
    size = len(json.dumps(told, ensure_ascii=False, default=plain).encode("utf-8", "surrogatepass"))
    return size + int(pictures * _OF_A_PICTURE / _MOST_PER_BYTE)


def _worst(price: inarch.Price, tokens: int, output: int) -> Decimal:
    there = inarch.price_at(price, tokens)
    dearest = there.input if there.written is None else max(there.input, there.written)
    return (dearest * tokens + there.output * output) / _MILLION


def _affordable(price: inarch.Price, tokens: int, free: Decimal) -> int:
    """Return the output tokens that the rest of the money buys after the input, or -1 if it can't pay the input."""
    left = free - _worst(price, tokens, 0)
    per_token = inarch.price_at(price, tokens).output
    if left < 0:
        return -1
    return int(left * _MILLION / per_token) if per_token else _ASSUMED_OUTPUT
