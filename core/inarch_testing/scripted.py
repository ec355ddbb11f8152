"""Model provider that plays a script: deterministic, without network, through the real port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from attrs import define, field

from inarch.contract.errors import ProviderError
from inarch.contract.records import (
    CallDelta,
    Delta,
    Finish,
    Limits,
    ModelInfo,
    ModelRequest,
    Price,
    TextDelta,
    Usage,
    UsageDelta,
)

NASTY_TEXTS = (
    "", " ", "\0", "\n", "\r\n", "two\nlines", "\u2028\u2029\x85", '"\\/{}[]', "\x1b[2J", "zwölf", "日本語",
    "\U0001f331\U0001f469\u200d\U0001f467", "e\u0301 \u202e abc", "\ud800", "name-\udcff-that-is-not-utf-8",
    "\ufeffmark", "'; DROP TABLE events; --", "%s {} \\u0000", "x" * 10_000,
)  # fmt: skip
"""Empty, blank, control characters, a lone surrogate, another direction, quotes of other formats, and a long text."""

Step = Sequence[Delta | Exception | float] | Callable[[ModelRequest], "Step"]
"""One reply: deltas in order, exceptions to raise, and pauses in seconds. Or a function that returns one."""


def says(text: str, usage: Usage | None = None) -> list[Delta]:
    """Return a reply of plain text."""
    return [TextDelta(text), UsageDelta(usage or Usage(10, 5, cost_usd=Decimal(0))), Finish("stop")]


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "", usage: Usage | None = None) -> list[Delta]:
    """Return a reply that calls tools: pairs of name and arguments."""
    said: list[Delta] = [TextDelta(text)] if text else []
    fragments: list[Delta] = [
        CallDelta(index, f"call_{index}", name, json.dumps(arguments)) for index, (name, arguments) in enumerate(wanted)
    ]
    return [*said, *fragments, UsageDelta(usage or Usage(10, 5, cost_usd=Decimal(0))), Finish("calls")]


@define(eq=False, repr=False)
class ScriptedModel:
    """Provider that answers the n-th request with the n-th step; `requests` stores all requests.

    After the script, the last step repeats if `repeat` is set, else requests fail.
    """

    script: Iterable[Step]
    name: str = "scripted"
    default_model: str = "script"
    default_decision_model: str = "script"
    cost: Price | None = None
    repeat: bool = False
    requests: list[ModelRequest] = field(factory=list)
    _steps: list[Step] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._steps = list(self.script)

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Play the next step.

        Raises:
            ProviderError: The script is over.
        """
        self.requests.append(request)
        index = len(self.requests) - 1
        if self.repeat:
            index = min(index, len(self._steps) - 1)
        if index >= len(self._steps):
            raise ProviderError("request", f"the script has {len(self._steps)} steps, this is request {index + 1}")
        step = self._steps[index]
        while callable(step):
            step = step(request)
        for item in step:
            if isinstance(item, Exception):
                raise item
            if isinstance(item, float):
                await asyncio.sleep(item)
            else:
                yield item

    async def models(self) -> Sequence[ModelInfo]:
        """Return the only model."""
        return [ModelInfo(self.default_model)]

    def limits(self, model: str) -> Limits:
        """Return unknown limits."""
        return Limits()

    def price(self, model: str) -> Price | None:
        """Return the price of the script."""
        return self.cost

    async def close(self) -> None:
        """Do nothing, because there is no connection."""
