"""Requests of `ModelContract` to a provider, and checks of the replies."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from inarch.contract.deltas import Delta
from inarch.contract.ports import ModelProvider
from inarch.contract.records import (
    CallDelta,
    Limits,
    Message,
    ModelRequest,
    Price,
    ReasoningDelta,
    Reply,
    Text,
    TextDelta,
    ToolSpec,
    Usage,
)
from inarch_sdk.accumulator import Accumulator

T = TypeVar("T")
ECHO = ToolSpec(
    "echo",
    "Repeat a text.",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
TEXT_FIELDS = {TextDelta: "text", ReasoningDelta: "text", CallDelta: "arguments"}


class Asking(ABC):
    """Base that queries a model provider; the attributes are those of `ModelContract`."""

    model: str = ""
    calls_tools: bool = True
    echoes: bool = False
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> ModelProvider:
        """Return a working provider; each test creates one and closes it."""

    def request(self, provider: ModelProvider, prompt: str = "Say hello.", **fields: Any) -> ModelRequest:
        """Create a request of one prompt, or of other fields."""
        known = {"system": "You are asked by a test.", "messages": (Message("user", (Text(prompt),)),), **fields}
        return ModelRequest(model=self.model_of(provider), **known)

    def model_of(self, provider: ModelProvider) -> str:
        """Return the model to test."""
        return self.model or provider.default_model

    def answer(
        self, provider: ModelProvider | None = None, request: ModelRequest | None = None, **fields: Any
    ) -> list[Delta]:
        """Ask once and close."""

        async def go(provider: ModelProvider) -> list[Delta]:
            return await self.ask(provider, request or self.request(provider, **fields))

        return self.run(go, provider)

    async def ask(self, provider: ModelProvider, request: ModelRequest) -> list[Delta]:
        """Ask once and return the whole stream."""

        async def all_of_it() -> list[Delta]:
            return [delta async for delta in provider.answer(request)]

        return await self.soon(all_of_it(), "a reply")

    async def soon(self, work: Awaitable[T], what: str) -> T:
        """Wait with a timeout."""
        try:
            return await asyncio.wait_for(work, self.grace_s)
        except TimeoutError:
            raise AssertionError(f"{what} took longer than {self.grace_s:g} s") from None

    def run(self, work: Callable[[ModelProvider], Coroutine[Any, Any, T]], provider: ModelProvider | None = None) -> T:
        """Run a coroutine with a provider in a separate loop, and close it."""

        async def go() -> T:
            asked = provider or self.make()
            try:
                return await work(asked)
            finally:
                await asked.close()

        return asyncio.run(go())


def joined(provider: ModelProvider, deltas: Sequence[Delta]) -> Reply:
    """Join the pieces like the kernel."""
    collected = Accumulator(provider.name)
    for delta in deltas:
        collected.add(delta)
    return collected.reply()


def check_usage(usage: Usage, price: Price | None) -> None:
    """Fail on invalid counts and on a cost without a known price."""
    for name in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"):
        count = getattr(usage, name)
        assert isinstance(count, int) and count >= 0, f"{name} is {count!r}: a whole number, 0 or more"
    cost = usage.cost_usd
    assert cost is None or isinstance(cost, Decimal), f"cost_usd is {cost!r}: a Decimal, or None for unknown"
    assert cost is None or (cost.is_finite() and cost >= 0), f"cost_usd is {cost}"
    free = price is not None and price.input == 0 and price.output == 0
    assert cost != 0 or free, "cost_usd is 0 and price() doesn't say that the model is free: None is unknown"


def check_limits(provider: ModelProvider, model: str) -> None:
    """Fail on limits and prices that are not records."""
    limits, price = provider.limits(model), provider.price(model)
    assert isinstance(limits, Limits), f"limits({model!r:.40}) gave {limits!r:.80}: return Limits(), None for unknown"
    assert price is None or isinstance(price, Price), f"price({model!r:.40}) gave {price!r:.80}: a Price, or None"


async def tasks_left(seconds: float) -> list[str]:
    """Return the names of other tasks that still run, after time to end."""
    end = asyncio.get_running_loop().time() + seconds
    while (left := asyncio.all_tasks() - {asyncio.current_task()}) and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    return [repr(task.get_coro()) for task in left]
