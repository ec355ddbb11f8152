"""What stops a turn: iterations, time, tokens, money, and going round in circles."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from attrs import define, field

from inarch.contract.codec import to_data
from inarch.contract.records import Price, ToolCall, Usage

LimitName = Literal["max_iterations", "max_seconds", "max_tokens", "max_cost_usd", "repeated_states"]

REPEATS = 3
"""A cycle seen this often, with the same calls, results and files, is going nowhere."""
PERIODS = (1, 2, 3, 4)
LEAST_OUTPUT = 256
"""Fewer output tokens than this are not worth a request."""
MILLION = Decimal(1_000_000)


class LimitReached(Exception):
    """A limit ends the turn; `text` says plainly which and how to raise it."""

    def __init__(self, name: LimitName, text: str) -> None:
        super().__init__(text)
        self.name: LimitName = name
        self.text = text


class TurnLimits(NamedTuple):
    """The limits of a profile; None is none."""

    max_iterations: int = 10
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_cost_usd: Decimal | None = None


@define(eq=False, repr=False)
class Meter:
    """Measures one turn against its limits. `spent` is all that the session has paid for this turn."""

    limits: TurnLimits
    usage: Usage = field(factory=lambda: Usage(cost_usd=Decimal(0)))
    iterations: int = 0
    _known_cost: Decimal = Decimal(0)
    _began: float = field(factory=time.monotonic)

    def add(self, usage: Usage) -> None:
        """Count what a request has used."""
        self.usage = self.usage.plus(usage)
        self._known_cost += usage.cost_usd or 0

    def seconds_left(self) -> float | None:
        """Return the wall time that is left, None without a limit."""
        if self.limits.max_seconds is None:
            return None
        return max(0.0, self.limits.max_seconds - (time.monotonic() - self._began))

    def next_iteration(self) -> None:
        """Count a request of the loop.

        Raises:
            LimitReached: There may be none.
        """
        if self.iterations >= self.limits.max_iterations:
            more = 2 * self.iterations or 1
            raise LimitReached(
                "max_iterations", f"stopped after {self.iterations} iterations; raise it with --max-iterations {more}"
            )
        self.iterations += 1
        self.check_tokens()
        if self.seconds_left() == 0.0:
            raise self.out_of_time()

    def check_tokens(self) -> None:
        """Raise `LimitReached` where the turn has used its tokens."""
        used = self.usage.input_tokens + self.usage.output_tokens
        if self.limits.max_tokens is not None and used >= self.limits.max_tokens:
            raise LimitReached(
                "max_tokens", f"stopped: {used} of max_tokens = {self.limits.max_tokens} tokens are used"
            )

    def out_of_time(self) -> LimitReached:
        """Return the limit that says time is up."""
        return LimitReached("max_seconds", f"stopped after max_seconds = {self.limits.max_seconds:g} seconds")

    def affordable_output(self, price: Price | None, input_tokens: int, output_tokens: int | None) -> int | None:
        """Return how many output tokens the next request may have, reserving its worst case before it is sent.

        Args:
            price: The model's price; None (unknown) can't be reserved, so only `max_tokens` holds.
            input_tokens: The counted input.
            output_tokens: The model's own limit, None if unknown.

        Raises:
            LimitReached: Not even a short reply can be paid for.
        """
        limit = self.limits.max_cost_usd
        if limit is None or price is None:
            return None
        left = limit - self._known_cost - price.input * input_tokens / MILLION
        tokens = int(left * MILLION / price.output) if price.output else (output_tokens or 1 << 30)
        if left <= 0 or tokens < LEAST_OUTPUT:
            raise LimitReached(
                "max_cost_usd",
                f"stopped before a request that could pass max_cost_usd = {limit} (spent {self._known_cost})",
            )
        return tokens if output_tokens is None else min(tokens, output_tokens)


@define(eq=False, repr=False)
class Repeats:
    """Notices repeated states: the same calls with the same results over unchanged files, in cycles of 1 to 4."""

    states: list[bytes] = field(factory=list)

    def saw(self, calls: Sequence[ToolCall], seen: Mapping[str, str]) -> None:
        """Take one batch.

        Raises:
            LimitReached: The last batches went round in a circle.
        """
        self.states.append(_state(calls, seen))
        del self.states[: -REPEATS * max(PERIODS)]
        for period in PERIODS:
            tail = self.states[-REPEATS * period :]
            if len(tail) == REPEATS * period and tail == tail[:period] * REPEATS:
                what = "the same calls gave the same results" if period == 1 else f"the last {period} steps repeat"
                raise LimitReached("repeated_states", f"stopped: {what} {REPEATS} times and nothing changed")


def _state(calls: Sequence[ToolCall], seen: Mapping[str, str]) -> bytes:
    batch = sorted(
        json.dumps(
            [call.name, to_data(call.arguments), call.status, to_data(call.result.data if call.result else None)],
            sort_keys=True,
        )
        for call in calls
    )
    digest = hashlib.blake2b("\n".join(batch).encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(repr(sorted(seen.items())).encode("utf-8", "surrogatepass"))
    return digest.digest()
