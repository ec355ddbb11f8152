"""Pacing: no more requests per minute than a service allows, and waits after a refusal."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

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


@define(eq=False, repr=False)
class Sent:
    """Request that counts from `time` on: from its permission, and once it is confirmed from its sending."""

    time: float
    tokens: int
    confirmed: bool = False


@define(eq=False, repr=False)
class Lane:
    """Requests of one model: those of the last minute, and waiting ones, first come first served.

    `learned` are the requests per minute after a refusal at `since`; they slowly grow.
    """

    sent: deque[Sent] = field(factory=deque)
    waiting: deque[asyncio.Event] = field(factory=deque)
    learned: float = 0.0
    since: float = float("-inf")
    not_before: float = float("-inf")

    def room(self, tokens: int, limits: Limits, now: float) -> tuple[float, str]:
        """Return the seconds until a request may be sent, and the reason for the wait.

        A request larger than all the tokens of a minute gets a minute of its own.
        """
        self._forget(now)
        most, most_tokens = _with_margin(limits.requests_per_minute), _with_margin(limits.tokens_per_minute)
        allowed = self._allowed(now)
        if allowed is not None:
            most = int(allowed) if most is None else min(most, int(allowed))
        moment, reason = (self.not_before, "the service asked to wait") if self.not_before > now else (now, "")
        is_limited = most is not None or most_tokens is not None
        sent = deque(one for one in self.sent if one.time + WINDOW_S > moment) if is_limited else deque[Sent]()
        used = sum(one.tokens for one in sent)
        while sent and (why := _full(len(sent), used + tokens, most, most_tokens)):
            oldest = sent.popleft()
            moment, reason, used = max(moment, oldest.time + WINDOW_S), why, used - oldest.tokens
        return (moment - now + SLACK_S, reason) if moment > now else (0.0, "")

    def confirm(self, tokens: int, now: float) -> None:
        """Count a request as sent now: the reserved one, else another one."""
        self._forget(now)
        reserved = next((one for one in reversed(self.sent) if not one.confirmed and one.tokens == tokens), None)
        if reserved is not None:
            self.sent.remove(reserved)
        self.sent.append(Sent(now, tokens, confirmed=True))

    def correct(self, estimated: int, used: int) -> None:
        """Replace the estimate of the last request with that estimate."""
        found = next((one for one in reversed(self.sent) if one.confirmed and one.tokens == estimated), None)
        if found is not None:
            found.tokens = used

    def halve(self, now: float) -> None:
        """Halve the limit from now on: the service refused without giving one."""
        self._forget(now)
        allowed = self._allowed(now)
        if allowed is None or now - self.since >= TOGETHER_S:
            before = len(self.sent) if allowed is None else min(allowed, len(self.sent))
            self.learned, self.since = max(LEAST_LEARNED, before / 2), now

    def _allowed(self, now: float) -> float | None:
        """Return the learned requests per minute, None once they are forgotten."""
        periods = (now - self.since) / RECOVERY_S
        return self.learned * (1 + periods) if periods < 3 else None

    def _forget(self, now: float) -> None:
        while self.sent and self.sent[0].time + WINDOW_S <= now:
            self.sent.popleft()


def _with_margin(limit: int | None) -> int | None:
    return max(1, int(limit * MARGIN)) if limit is not None and limit > 0 else None


def _full(count: int, used: int, requests: int | None, tokens: int | None) -> str:
    if requests is not None and count >= requests:
        return f"no more than {requests:,} request{'s' if requests > 1 else ''} a minute"
    if tokens is not None and used > tokens:
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
    _lanes: dict[str, Lane] = field(init=False, factory=dict)

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
        lane, mine = self._lane(model), asyncio.Event()
        self._check_reachable(model, lane)
        lane.waiting.append(mine)
        try:
            if lane.waiting[0] is not mine:
                await mine.wait()
            until = float("-inf")
            while wait := self._wait(model, lane, tokens, patience):
                if self.clock() + wait.seconds > until + RETOLD_S:
                    until = self.clock() + wait.seconds
                    told(wait)
                await self.sleep(wait.seconds)
                # Another request may have been refused meanwhile.
                self._check_reachable(model, lane)
            lane.sent.append(Sent(self.clock(), tokens))
        finally:
            lane.waiting.remove(mine)
            if lane.waiting:
                lane.waiting[0].set()

    def sent(self, model: str, tokens: int) -> None:
        """Count a request that is sent now; each attempt counts, and so does a decision."""
        self._lane(model).confirm(tokens, self.clock())

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Replace the estimate given to `sent` by what the service has reported."""
        self._lane(model).correct(estimated, used)

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Learn from a failed attempt, counted from 1, and return the seconds to wait before the next one.

        It is None if a retry is useless within a reasonable time: another model may take over.
        """
        lane, now = self._lane(model), self.clock()
        asked = _asked_seconds(error)
        if asked is not None:
            lane.not_before = max(lane.not_before, now + asked)
        elif error.kind == "rate_limit":
            lane.halve(now)
        if not error.retryable or (asked is not None and asked > LONGEST_WAIT_S):
            return None
        return _back_off(error, attempt) if asked is None else asked + _small_jitter(asked)

    def _lane(self, model: str) -> Lane:
        return self._lanes.setdefault(model, Lane())

    def _limits(self, model: str) -> Limits:
        try:
            return self.limits(model)
        except InarchError:  # a provider that cannot report its limits may still answer
            return Limits()

    def _check_reachable(self, model: str, lane: Lane) -> None:
        """Raise the error that the service would raise again, without asking it."""
        left = lane.not_before - self.clock()
        if left > LONGEST_WAIT_S:
            error = ProviderError("rate_limit", f"{model} {LEFT_ALONE}", retry_after=left,
                                  remedy="wait, or use another model")  # fmt: skip
            raise saying_when(error)

    def _wait(self, model: str, lane: Lane, tokens: int, patience: float) -> LimitWait | None:
        """Return how long a request must wait, None if it need not."""
        seconds, reason = lane.room(tokens, self._limits(model), self.clock())
        if seconds > patience:
            # not a refusal: the service was not asked, and `refused` has nothing to learn from it
            raise ProviderError("timeout", f"{model} needs a wait, {_words(seconds)}: {reason}")
        return LimitWait(model, round(seconds, 3), reason) if seconds else None


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
