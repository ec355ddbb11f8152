"""Pacing: no more requests per minute than a service allows, and waits after a refusal."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from attrs import define, field

from inarch.contract.errors import LONGEST_ASKED_S, InarchError, ProviderError
from inarch.contract.events import LimitWait
from inarch.contract.records import Limits

WINDOW_S = 60.0
MARGIN = 0.9
"""Share of a limit that is used: requests arrive in other rhythms than they are sent."""
LEAST_LEARNED = 4.0
"""Minimum requests per minute after refusals: the next attempts must not wait for a minute."""
RECOVERY_S = 300.0
"""Seconds without a refusal after which a halved limit has recovered; after three times that it is forgotten."""
TOGETHER_S = 5.0
"""Seconds within which refusals count as one: concurrent requests are refused together."""
SLACK_S = 0.01
"""Seconds added to each wait, so that a rounding error does not end it too early."""


class Room(NamedTuple):
    """Next free slot: seconds from now, and the reason for the wait."""

    seconds: float
    reason: str = ""


@define(eq=False, repr=False)
class Sent:
    """Request that counts from `time` on: from its permission, and once it is confirmed from its sending."""

    time: float
    tokens: int
    confirmed: bool = False


@define(eq=False, repr=False)
class Learned:
    """Limit learned from a refusal: `base` requests per minute since `since`, slowly growing."""

    base: float
    since: float

    def allowed(self, now: float) -> float | None:
        """Return the requests per minute, None once it is forgotten."""
        periods = (now - self.since) / RECOVERY_S
        return self.base * (1 + periods) if periods < 3 else None


@define(eq=False, repr=False)
class Window:
    """Sliding window of one model: pure arithmetic over the caller's times, which never go back."""

    sent: deque[Sent] = field(factory=deque)
    learned: Learned | None = None
    not_before: float = float("-inf")

    def room(self, tokens: Sequence[int], limits: Limits, now: float) -> Room:
        """Return when the last of several requests may be sent, one after another, if there are no others.

        A request larger than all the tokens of a minute gets a minute of its own.
        """
        self._forget(now)
        requests, most_tokens = self._most(limits, now)
        if requests is None and most_tokens is None and self.not_before <= now:
            return Room(0.0)
        ahead = [(one.time, one.tokens) for one in self.sent]
        moment, reason = now, ""
        if self.not_before > now:
            moment, reason = self.not_before, "the service asked to wait"
        for size in tokens:
            # Simulate: sent requests leave the window, and waiting ones take their place.
            while ahead and ahead[0][0] + WINDOW_S <= moment:
                del ahead[0]
            while ahead and (why := _full(ahead, size, requests, most_tokens)):
                moment, reason = max(moment, ahead.pop(0)[0] + WINDOW_S), why
            ahead.append((moment, size))
        return Room(moment - now + SLACK_S, reason) if moment > now else Room(0.0)

    def take(self, tokens: int, now: float) -> None:
        """Reserve room for a request that is about to be sent."""
        self.sent.append(Sent(now, tokens))

    def confirm(self, tokens: int, now: float) -> None:
        """Count a request as sent now: the reserved one, else another one."""
        self._forget(now)
        for place, one in enumerate(reversed(self.sent), 1):  # most often it is the last one
            if not one.confirmed and one.tokens == tokens:
                del self.sent[-place]
                break
        self.sent.append(Sent(now, tokens, confirmed=True))

    def correct(self, estimated: int, used: int) -> None:
        """Replace the estimate of the last request with that estimate."""
        for one in reversed(self.sent):
            if one.confirmed and one.tokens == estimated:
                one.tokens = used
                return

    def halve(self, now: float) -> None:
        """Halve the limit from now on: the service refused without giving one."""
        self._forget(now)
        allowed = self.learned.allowed(now) if self.learned else None
        if self.learned and allowed is not None and now - self.learned.since < TOGETHER_S:
            return
        before = len(self.sent) if allowed is None else min(allowed, len(self.sent))
        self.learned = Learned(max(LEAST_LEARNED, before / 2), now)

    def _most(self, limits: Limits, now: float) -> tuple[int | None, int | None]:
        """Return the requests and tokens allowed per minute, None if unknown."""
        requests, tokens = _with_margin(limits.requests_per_minute), _with_margin(limits.tokens_per_minute)
        allowed = self.learned.allowed(now) if self.learned else None
        if allowed is None:
            return requests, tokens
        return int(allowed) if requests is None else min(requests, int(allowed)), tokens

    def _forget(self, now: float) -> None:
        while self.sent and self.sent[0].time + WINDOW_S <= now:
            self.sent.popleft()


def _with_margin(limit: int | None) -> int | None:
    return max(1, int(limit * MARGIN)) if limit is not None and limit > 0 else None


def _full(ahead: Iterable[tuple[float, int]], size: int, requests: int | None, tokens: int | None) -> str:
    sizes = [tokens for _, tokens in ahead]
    if requests is not None and len(sizes) >= requests:
        return f"no more than {requests:,} request{'s' if requests > 1 else ''} a minute"
    if tokens is not None and sum(sizes) + size > tokens:
        return f"no more than {tokens:,} tokens a minute"
    return ""


LONGEST_WAIT_S = 60.0
"""Longest wait in seconds; if a service asks for more, a fallback or the user decides."""
FIRST_BACKOFF_S = 1.0
FIRST_BACKOFF_AFTER_LIMIT_S = 2.0
LONGEST_BACKOFF_S = 30.0
QUICK = 2
"""Attempts after which short waits end: the service needs a pause, even if it does not say how long."""
DAY_S = 86_400.0
RETOLD_S = 1.0
"""Seconds by which a wait must grow to be reported again."""
LEFT_ALONE = "asked to be left alone"
_AGAIN = "it can be asked again at"


@define(eq=False, repr=False)
class _Waiter:
    tokens: int
    patience: float
    is_first: asyncio.Event = field(factory=asyncio.Event)
    told_until: float = float("-inf")


@define(eq=False, repr=False)
class _Lane:
    """Queue of one model: its window, and waiting requests, first come first served."""

    window: Window = field(factory=Window)
    waiting: deque[_Waiter] = field(factory=deque)


@define(eq=False, repr=False)
class Pacer:
    """Pacer of the requests of all sessions of an application, for each model by itself.

    Args:
        limits: The known limits of a model, by its full name.
        clock: Seconds that never go back.
        sleep: Waits for seconds of that clock.
    """

    limits: Callable[[str], Limits]
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    longest_silence_s: float = 120.0
    longest_reply_s: float = 600.0
    _lanes: dict[str, _Lane] = field(init=False, factory=dict)

    async def before(
        self, model: str, tokens: int, told: Callable[[LimitWait], None], patience: float = float("inf")
    ) -> None:
        """Wait until a request may be sent, and reserve its slot, first come first served.

        Args:
            model: The model's full name.
            tokens: The estimate of the request's tokens, including its reply.
            told: Receives each wait before it starts.
            patience: Seconds; a longer wait does not begin.

        Raises:
            ProviderError: The wait would exceed that, or the service has asked for one that is too long.
        """
        lane = self._lane(model)
        self._check_reachable(model, lane)
        limits = self._limits(model)
        if not lane.waiting and not lane.window.room((tokens,), limits, self.clock()).seconds:
            lane.window.take(tokens, self.clock())
            return
        waiter = _Waiter(tokens, patience)
        lane.waiting.append(waiter)
        try:
            await self._queue(model, lane, waiter, told)
            lane.window.take(tokens, self.clock())
        finally:
            lane.waiting.remove(waiter)
            if lane.waiting:
                lane.waiting[0].is_first.set()

    def sent(self, model: str, tokens: int) -> None:
        """Count a request that is sent now; each attempt counts, and so does a decision."""
        self._lane(model).window.confirm(tokens, self.clock())

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Replace the estimate given to `sent` by what the service has reported."""
        self._lane(model).window.correct(estimated, used)

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Learn from a failed request and return the seconds to wait before its retry.

        Args:
            model: The model's full name.
            error: Its failure.
            attempt: Its number, counted from 1.

        Returns:
            None if a retry is useless within a reasonable time: another model may take over.
        """
        window, now = self._lane(model).window, self.clock()
        asked = _asked_seconds(error)
        if asked is not None:
            window.not_before = max(window.not_before, now + asked)
        elif error.kind == "rate_limit":
            window.halve(now)
        if not error.retryable or (asked is not None and asked > LONGEST_WAIT_S):
            return None
        return _back_off(error, attempt) if asked is None else asked + _small_jitter(asked)

    def _lane(self, model: str) -> _Lane:
        lane = self._lanes.get(model)
        if lane is None:
            lane = self._lanes[model] = _Lane()
        return lane

    def _limits(self, model: str) -> Limits:
        try:
            return self.limits(model)
        except InarchError:  # a provider that cannot report its limits may still answer
            return Limits()

    def _check_reachable(self, model: str, lane: _Lane) -> None:
        """Raise the error that the service would raise again, without asking it."""
        left = lane.window.not_before - self.clock()
        if left > LONGEST_WAIT_S:
            error = ProviderError("rate_limit", f"{model} {LEFT_ALONE}", retry_after=left,
                                  remedy="wait, or use another model")  # fmt: skip
            raise saying_when(error)

    async def _queue(self, model: str, lane: _Lane, waiter: _Waiter, told: Callable[[LimitWait], None]) -> None:
        if lane.waiting[0] is not waiter:
            self._tell(model, lane, waiter, told)
            await waiter.is_first.wait()
        while seconds := self._tell(model, lane, waiter, told):
            await self.sleep(seconds)
            self._check_reachable(model, lane)

    def _tell(self, model: str, lane: _Lane, waiter: _Waiter, told: Callable[[LimitWait], None]) -> float:
        """Return the seconds that the waiter must wait behind all before it; report them if they changed."""
        ahead = list(lane.waiting)
        sizes = [one.tokens for one in ahead[: ahead.index(waiter) + 1]]
        now = self.clock()
        seconds, reason = lane.window.room(sizes, self._limits(model), now)
        if seconds > waiter.patience:
            # not a refusal: the service was not asked, and `refused` has nothing to learn from it
            raise ProviderError("timeout", f"{model} needs a wait, {_words(seconds)}: {reason}")
        if seconds and now + seconds > waiter.told_until + RETOLD_S:
            waiter.told_until = now + seconds
            told(LimitWait(model, round(seconds, 3), reason))
        return seconds


def saying_when(error: ProviderError) -> ProviderError:
    """Return the error with the time of the next possible request in its message, if known."""
    seconds = _asked_seconds(error)
    if seconds is None or seconds < 1 or _AGAIN in error.message:
        return error
    from datetime import datetime, timedelta

    again = datetime.now().astimezone() + timedelta(seconds=seconds)
    moment = (
        f"{again:%H:%M:%S}" if seconds < 600 else f"{again:%H:%M}" if seconds < DAY_S else f"{again:%Y-%m-%d %H:%M}"
    )
    return error.with_text(f"{error.message}; {_AGAIN} {moment}, in {_words(seconds)}")


def _asked_seconds(error: ProviderError) -> float | None:
    asked = error.retry_after
    return asked if asked is not None and 0.0 <= asked <= LONGEST_ASKED_S else None


def _back_off(error: ProviderError, attempt: int) -> float:
    """Return a back-off with full jitter: a random time up to a bound that doubles with each attempt."""
    if error.told:  # the service works: the model learns what was wrong with its reply
        return 0.0
    from random import uniform

    first = FIRST_BACKOFF_AFTER_LIMIT_S if error.kind == "rate_limit" else FIRST_BACKOFF_S
    longest = min(LONGEST_BACKOFF_S, first * 2.0 ** min(attempt - 1, 30))
    return uniform(longest / 2 if attempt > QUICK else 0.0, longest)


def _small_jitter(seconds: float) -> float:
    """Return a random addition to a requested wait, so that waiting requests do not return at once."""
    from random import uniform

    return uniform(0.05, 0.1 + min(seconds, 10.0) / 20)


def _words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * DAY_S:
        return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
    return f"{seconds / DAY_S:.0f} days"
