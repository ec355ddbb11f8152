"""The sliding window of one model: what was sent in the last minute, and when there is room for more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attrs import define, field

from inarch.contract.records import Limits

WINDOW_S = 60.0
MARGIN = 0.9
"""The share of a limit that is used: requests arrive in other rhythms than they are sent."""
LEAST_LEARNED = 4.0
"""A refusal never brings the requests of a minute below this: the next attempts must not wait for a minute."""
RECOVERY_S = 300.0
"""After this time without a refusal a halved limit has grown to what it was; after three times that it is forgotten."""
TOGETHER_S = 5.0
"""Refusals within this time count as one: requests that were on their way together are refused together."""
SLACK_S = 0.01
"""Added to each wait, so that nobody wakes a rounding error too early."""


class Room(NamedTuple):
    """When there is room: seconds from now, and what keeps it from being now."""

    seconds: float
    reason: str = ""


@define(eq=False, repr=False)
class Sent:
    """A request that counts from `time` on: from its permission, and once it is confirmed from its sending."""

    time: float
    tokens: int
    confirmed: bool = False


@define(eq=False, repr=False)
class Learned:
    """What a refusal has taught: `base` requests a minute since `since`, slowly growing."""

    base: float
    since: float

    def allowed(self, now: float) -> float | None:
        """Return the requests a minute, None once it is forgotten."""
        periods = (now - self.since) / RECOVERY_S
        return self.base * (1 + periods) if periods < 3 else None


@define(eq=False, repr=False)
class Window:
    """Pure arithmetic over times that the caller gives; they never go back."""

    sent: deque[Sent] = field(factory=deque)
    learned: Learned | None = None
    not_before: float = float("-inf")

    def room(self, tokens: Sequence[int], limits: Limits, now: float) -> Room:
        """Return when the last of several requests may be sent, one after another, where this is all that is sent.

        A request that is larger than all the tokens of a minute gets a minute of its own.
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
        """Count a request as sent now: the one that was reserved, else another one."""
        self._forget(now)
        for place, one in enumerate(reversed(self.sent), 1):  # most often it is the last one
            if not one.confirmed and one.tokens == tokens:
                del self.sent[-place]
                break
        self.sent.append(Sent(now, tokens, confirmed=True))

    def correct(self, estimated: int, used: int) -> None:
        """Replace the estimate of the last request that was estimated so."""
        for one in reversed(self.sent):
            if one.confirmed and one.tokens == estimated:
                one.tokens = used
                return

    def halve(self, now: float) -> None:
        """Let half as much through from now on: the service refused without saying what it allows."""
        self._forget(now)
        allowed = self.learned.allowed(now) if self.learned else None
        if self.learned and allowed is not None and now - self.learned.since < TOGETHER_S:
            return
        before = len(self.sent) if allowed is None else min(allowed, len(self.sent))
        self.learned = Learned(max(LEAST_LEARNED, before / 2), now)

    def _most(self, limits: Limits, now: float) -> tuple[int | None, int | None]:
        """Return the requests and tokens that a minute may have, None where nothing is known."""
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
    """Return which limit a further request would pass, "" if none."""
    sizes = [tokens for _, tokens in ahead]
    if requests is not None and len(sizes) >= requests:
        return f"no more than {requests:,} request{'s' if requests > 1 else ''} a minute"
    if tokens is not None and sum(sizes) + size > tokens:
        return f"no more than {tokens:,} tokens a minute"
    return ""
