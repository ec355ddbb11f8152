"""Limits of a turn: iterations, time, repetition, and its spending, which is reserved before each request."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Literal, NamedTuple

from attrs import define, field

from inarch.contract.codec import to_data
from inarch.contract.records import Price, ToolCall, Usage
from inarch_sdk.usage import MILLION, dearest, price_at

LimitName = Literal[
    "max_iterations", "max_seconds", "max_tokens", "max_cost_usd", "max_reply_bytes", "repeated_states", "denials",
]  # fmt: skip

REPEATS = 3
"""Times a cycle with the same calls, results and files may occur before it counts as stuck."""
CIRCLING = """\
{what}, {times} times, and nothing changed. Do something else, or answer with what is known: the turn is stopped if this
goes on."""
PERIODS = (1, 2, 3, 4)


class LimitReached(Exception):
    """Reached limit that ends the turn; `text` says which one and how to raise it."""

    def __init__(self, name: LimitName, text: str) -> None:
        super().__init__(text)
        self.name: LimitName = name
        self.text = text


class Refused(Exception):
    """Denial of all calls by the user without a reason, which leaves the turn nothing to work with."""


class Stopped(Exception):
    """End of the turn by a plugin: `by` is its part, `text` says why. If it `erases` the prompt, no model sees that."""

    def __init__(self, by: str, text: str, *, erases: bool = False) -> None:
        super().__init__(text)
        self.by, self.erases = by, erases
        self.text = f"stopped by {by}: {text}" if text else f"stopped by {by}"


class AnswerRefused(Exception):
    """Failure of the model's answers to match the profile's schema; `answer` is the last of them."""

    def __init__(self, answer: str, text: str) -> None:
        super().__init__(text)
        self.answer = answer


class TurnLimits(NamedTuple):
    """Limits of a profile; None means no limit."""

    max_iterations: int = 50
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_cost_usd: Decimal | None = None


@define(eq=False, repr=False)
class Repeats:
    """Detector of repeated states: the same calls with the same results over unchanged files, in cycles of 1 to 4."""

    states: list[bytes] = field(factory=list)
    is_warned: bool = False

    def saw(self, calls: Sequence[ToolCall], seen: Mapping[str, str]) -> str:
        """Take one batch and return a warning for the model, once, because many models then change course.

        Raises:
            LimitReached: It was warned and still repeats itself.
        """
        self.states.append(_state(calls, seen))
        # As many as the longest cycle needs; a turn may have thousands of steps.
        del self.states[: -REPEATS * max(PERIODS)]
        for period in PERIODS:
            tail = self.states[-REPEATS * period :]
            if len(tail) == REPEATS * period and tail == tail[:period] * REPEATS:
                what = "the same calls gave the same results" if period == 1 else f"the last {period} steps repeat"
                if self.is_warned:
                    raise LimitReached("repeated_states", f"stopped: {what} again and again, and nothing changed")
                self.is_warned = True
                return CIRCLING.format(what=what, times=REPEATS)
        self.is_warned = False
        return ""


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


LEAST_OUTPUT = 256
"""Output tokens below which a request is not worthwhile, unless it asks for fewer itself."""
ASSUMED_OUTPUT = 8_192
"""Assumed output limit of a model with an unknown one, which bounds reservation and request."""

_MORE_TOKENS = "raise it in the profile or with INARCH_MAX_TOKENS"
_MORE_TIME = "raise it in the profile or with INARCH_MAX_SECONDS"
_MORE_MONEY = "raise it with --max-cost"
_ZERO = Decimal(0)


@define(eq=False, repr=False)
class Hold:
    """Reservation of a request's worst case until it has ended; `output` is its limit of output, if any."""

    tokens: int = 0
    cost: Decimal = _ZERO
    output: int | None = None


@define(eq=False, repr=False)
class Meter:
    """Meter of one turn against its limits; it counts every request that the turn pays for.

    `usage` is the turn's known usage. If a request ended without a usage report, its reservation stays, because only
    the bill will show its cost. A child's turn also spends from the turn `above` it.
    """

    limits: TurnLimits
    above: Meter | None = None
    usage: Usage = field(factory=lambda: Usage(cost_usd=Decimal(0)))
    iterations: int = 0
    _known_cost: Decimal = _ZERO
    _lost_cost: Decimal = _ZERO
    _lost_tokens: int = 0
    _open: list[Hold] = field(factory=list)
    _freed: asyncio.Event | None = None
    _began: float = field(factory=time.monotonic)

    def add(self, usage: Usage) -> None:
        """Count the usage of a request."""
        for meter in self._chain:
            meter.usage = meter.usage.plus(usage)
            meter._known_cost += usage.cost_usd or 0

    def unreported(self, usage: Usage, tokens: int, cost: Decimal) -> None:
        """Count a request whose service did not report its usage: the budget keeps its worst case."""
        for meter in self._chain:
            meter.usage = meter.usage.plus(usage)
            meter._lost_cost += cost
            meter._lost_tokens += max(0, tokens - usage.input_tokens - usage.output_tokens)

    def seconds_left(self) -> float | None:
        """Return the wall time that is left, None without a limit."""
        if self.limits.max_seconds is None:
            return None
        return max(0.0, self.limits.max_seconds - (time.monotonic() - self._began))

    def next_iteration(self) -> None:
        """Count a request of the loop.

        Raises:
            LimitReached: No more are allowed.
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
        """Raise `LimitReached` if the turn has used its tokens."""
        for meter in self._chain:
            limit, used = meter.limits.max_tokens, meter._tokens
            if limit is not None and used >= limit:
                raise LimitReached(
                    "max_tokens", f"stopped: {used} of max_tokens = {limit} tokens are used; {_MORE_TOKENS}"
                )

    def out_of_time(self) -> LimitReached:
        """Return the limit that says time is up."""
        return LimitReached(
            "max_seconds", f"stopped after max_seconds = {self.limits.max_seconds:g} seconds; {_MORE_TIME}"
        )

    @property
    def is_limited(self) -> bool:
        """Whether money or tokens are limited, so that requests must reserve."""
        every = [meter.limits for meter in self._chain]
        return any(one.max_cost_usd is not None or one.max_tokens is not None for one in every)

    @property
    def _chain(self) -> Sequence[Meter]:
        return [self] if self.above is None else [self, *self.above._chain]

    async def reserve(self, price: Price | None, input_tokens: int, wanted: int | None, own: int | None) -> Hold:
        """Reserve the worst case of a request, waiting if other requests hold the needed amount.

        Args:
            price: The model's price; None if unknown, which reserves no money.
            input_tokens: The counted input.
            wanted: The limit of output that the request asks for, if any.
            own: The model's own limit of output, None if unknown.

        Raises:
            LimitReached: Not even a short reply fits.
        """
        while True:
            try:
                return self.reserve_now(price, input_tokens, wanted, own)
            except LimitReached:
                # The shortage is temporary: other requests return their excess when they end.
                outermost = self._chain[-1]  # everything reserved below it is reserved there
                if not outermost._open:
                    raise
                outermost._freed = outermost._freed or asyncio.Event()
                await outermost._freed.wait()

    def reserve_now(self, price: Price | None, input_tokens: int, wanted: int | None, own: int | None) -> Hold:
        """Do the same without waiting."""
        if not self.is_limited:
            return Hold(output=wanted)
        price = None if price is None else dearest(price_at(price, input_tokens))
        # The worst case is a reply of maximum length, at the highest of the model's prices.
        bound = min((limit for limit in (wanted, own) if limit is not None), default=ASSUMED_OUTPUT)
        least = min(LEAST_OUTPUT, bound)
        limits = [limit for meter in self._chain for limit in meter._most_output(price, input_tokens, least)]
        output = min(bound, *limits) if limits else wanted
        cost = _ZERO if price is None else (price.input * input_tokens + price.output * (output or 0)) / MILLION
        hold = Hold(input_tokens + (output or 0), cost, output)
        for meter in self._chain:
            meter._open.append(hold)
        return hold

    def _most_output(self, price: Price | None, input_tokens: int, least: int) -> Sequence[int]:
        """Return the output tokens that each limit leaves.

        Raises:
            LimitReached: They do not suffice for a short reply.
        """
        by_tokens, by_cost = self._tokens_left(input_tokens), self._output_for_money(price, input_tokens)
        if by_tokens is not None and by_tokens < least:
            raise LimitReached("max_tokens", self._stopped("max_tokens", self.limits.max_tokens, self._tokens))
        if by_cost is not None and by_cost < least:
            raise LimitReached("max_cost_usd", self._stopped("max_cost_usd", self.limits.max_cost_usd, self._cost))
        return [limit for limit in (by_tokens, by_cost) if limit is not None]

    def release(self, hold: Hold) -> None:
        """Return a request's reservation, once it is counted or was never sent; may be called twice."""
        outermost = self._chain[-1]
        for meter in self._chain:
            if hold in meter._open:
                meter._open.remove(hold)
        if outermost._freed is not None:
            outermost._freed.set()
            outermost._freed = None

    @property
    def _tokens(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens + self._lost_tokens

    @property
    def _cost(self) -> Decimal:
        return self._known_cost + self._lost_cost

    def _tokens_left(self, input_tokens: int) -> int | None:
        if self.limits.max_tokens is None:
            return None
        return self.limits.max_tokens - self._tokens - sum(hold.tokens for hold in self._open) - input_tokens

    def _output_for_money(self, price: Price | None, input_tokens: int) -> int | None:
        """Return how many output tokens can be paid for, None if unknown or irrelevant."""
        limit = self.limits.max_cost_usd
        if limit is None:
            return None
        left = limit - self._cost - sum(hold.cost for hold in self._open)
        if price is None:
            return None if left > 0 else 0  # services that report a cost without having listed a price
        left -= price.input * input_tokens / MILLION
        if left < 0 or (left == 0 and price.output):
            return 0
        return int(left * MILLION / price.output) if price.output else None

    def _stopped(self, name: str, limit: object, spent: object) -> str:
        more = _MORE_TOKENS if name == "max_tokens" else _MORE_MONEY
        return f"stopped before a request that could pass {name} = {limit} (spent {spent}); {more}"


LAST_SECONDS = 20.0
"""Maximum seconds of the last request."""
LAST_SHARE = 0.2
"""Maximum share of a short turn's time that is reserved for it."""


def work_seconds(left: float) -> float:
    """Return how many of a turn's remaining seconds are for its work."""
    return left - min(LAST_SECONDS, LAST_SHARE * left)


def child_seconds(above: Meter) -> float | None:
    """Return the time limit of a child's turn, which ends before the work of the turn above must end."""
    left, whole = above.seconds_left(), above.limits.max_seconds
    return None if left is None or whole is None else work_seconds(max(0.0, left - whole + work_seconds(whole)))


@define(eq=False, repr=False)
class TurnTime:
    """Timer that ends a turn's work before the turn itself ends; text that is arriving then has until that end."""

    meter: Meter
    _work: asyncio.Timeout | None = field(init=False, default=None)
    _work_ends: float = field(init=False, default=0.0)
    _all_ends: float = field(init=False, default=0.0)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Interrupt the body when the time for work ends; the rest is reserved for the last request.

        Raises:
            LimitReached: The body was interrupted.
        """
        left = self.meter.seconds_left()
        if left is None:
            yield
            return
        self._all_ends = asyncio.get_running_loop().time() + left
        self._work_ends = self._all_ends - left + work_seconds(left)
        try:
            async with asyncio.timeout_at(self._work_ends) as self._work:
                yield
        except TimeoutError:
            if self._work is None or not self._work.expired():  # the body's own, not the end of the time
                raise
            raise self.meter.out_of_time() from None
        finally:
            self._work = None

    def answering(self, is_so: bool) -> None:
        """Note that an answer is arriving, or has ended."""
        if self._work is not None and not self._work.expired():
            # An arriving answer is worth more than the time reserved for asking for one.
            self._work.reschedule(self._all_ends if is_so else self._work_ends)

    def for_the_last(self) -> float:
        """Return how many seconds the last request may take."""
        left = self.meter.seconds_left()
        return LAST_SECONDS if left is None else min(LAST_SECONDS, left)
