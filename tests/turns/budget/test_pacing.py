"""Requests are spaced as the service's limits ask for, in order, and told; refused ones are repeated with patience."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from attrs import define, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.errors import ProviderError, ProviderErrorKind
from inarch.contract.events import LimitWait
from inarch.contract.records import Limits
from inarch.turns.rate_limit import (
    FIRST_BACKOFF_AFTER_LIMIT_S,
    FIRST_BACKOFF_S,
    LEAST_LEARNED,
    LONGEST_BACKOFF_S,
    LONGEST_WAIT_S,
    MARGIN,
    RECOVERY_S,
    RETOLD_S,
    WINDOW_S,
    Pacer,
    saying_when,
)

from .virtual_time import VirtualTime

MODEL = "service/model"
MOST_TOKENS = 1000


@frozen
class Asked:
    """A request of a schedule: when it comes, what becomes of it."""

    gap: float
    tokens: int
    latency: float = 0.0  # between its permission and its being sent
    leaves_after: float | None = None  # it is cancelled where it still waits then
    is_dropped: bool = False  # it gets its permission and is never sent


@define
class Log:
    came: list[int] = field(factory=list)
    allowed: list[tuple[int, float]] = field(factory=list)
    sent: list[tuple[float, int]] = field(factory=list)
    told: dict[int, list[tuple[float, LimitWait]]] = field(factory=dict)
    cancelled: set[int] = field(factory=set)


def play(schedule: Sequence[Asked], limits: Limits) -> Log:
    """Let all requests of a schedule happen."""

    async def go() -> Log:
        time, log = VirtualTime(), Log()
        pacer = Pacer(lambda _: limits, time.clock, time.sleep)
        tasks = []
        start = 0.0
        for number, asked in enumerate(schedule):
            start += asked.gap
            tasks.append(asyncio.create_task(request(number, asked, start, pacer, time, log)))
        await time.pass_until_done(tasks)
        return log

    return asyncio.run(go())


async def request(number: int, asked: Asked, start: float, pacer: Pacer, time: VirtualTime, log: Log) -> None:
    await time.sleep(start)
    log.came.append(number)
    told = log.told.setdefault(number, [])

    async def gate() -> None:
        await pacer.before(MODEL, asked.tokens, lambda wait: told.append((time.now, wait)))
        log.allowed.append((number, time.now))

    waiting = asyncio.create_task(gate())
    if asked.leaves_after is not None:
        leaving = asyncio.create_task(time.sleep(asked.leaves_after))
        await asyncio.wait([waiting, leaving], return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not waiting.done():
            waiting.cancel()
            await asyncio.wait([waiting])
            log.cancelled.add(number)
            return
    await waiting
    if asked.latency:
        await time.sleep(asked.latency)
    if not asked.is_dropped:
        pacer.sent(MODEL, asked.tokens)
        log.sent.append((time.now, asked.tokens))


LIMITS = st.builds(
    Limits,
    requests_per_minute=st.none() | st.integers(1, 8),
    tokens_per_minute=st.none() | st.integers(1112, 4000),
)
GAPS = st.just(0.0) | st.floats(0, 45)
PLAIN = st.builds(Asked, GAPS, st.integers(1, MOST_TOKENS))
ANY = st.builds(
    Asked, GAPS, st.integers(1, MOST_TOKENS), st.just(0.0) | st.floats(0, 9), st.none() | st.floats(0.5, 90),
    st.booleans(),
)  # fmt: skip


@given(st.lists(ANY, max_size=12), LIMITS)
def test_no_minute_has_more_than_its_share(schedule: list[Asked], limits: Limits) -> None:
    log = play(schedule, limits)
    sent = sorted(log.sent)
    for begin, _ in sent:
        minute = [tokens for moment, tokens in sent if begin <= moment < begin + WINDOW_S]
        if limits.requests_per_minute is not None:
            assert len(minute) <= max(1, int(limits.requests_per_minute * MARGIN))
        if limits.tokens_per_minute is not None:
            assert sum(minute) <= int(limits.tokens_per_minute * MARGIN)


@given(st.lists(ANY, max_size=12), LIMITS)
def test_who_comes_first_goes_first_and_everyone_goes(schedule: list[Asked], limits: Limits) -> None:
    log = play(schedule, limits)
    assert [number for number, _ in log.allowed] == [number for number in log.came if number not in log.cancelled]


@given(st.lists(PLAIN, max_size=12), LIMITS)
def test_a_wait_is_announced_when_it_is_ones_turn_and_lasts_no_longer(schedule: list[Asked], limits: Limits) -> None:
    log = play(schedule, limits)
    begin = turn = 1000.0
    for number, allowed in log.allowed:
        begin += schedule[number].gap
        turn, waits = max(begin, turn), log.told[number]
        for at, wait in waits:
            assert at >= turn - 1e-6 and wait.model == MODEL and wait.seconds > 0 and "no more than" in wait.reason
        ends = [at + wait.seconds + RETOLD_S + 0.2 for at, wait in waits]
        assert allowed <= max(ends) if ends else allowed == pytest.approx(turn)
        turn = allowed


def paced(test: Callable[[Pacer, VirtualTime], Awaitable[None]], limits: Limits | None = None) -> None:
    """Run a test in virtual time."""

    async def go() -> None:
        time = VirtualTime()
        await time.pass_until_done([asyncio.create_task(run(time))])

    async def run(time: VirtualTime) -> None:
        await test(Pacer(lambda _: limits or Limits(), time.clock, time.sleep), time)

    asyncio.run(go())


async def send(pacer: Pacer, tokens: int = 1, model: str = MODEL) -> list[LimitWait]:
    told: list[LimitWait] = []
    await pacer.before(model, tokens, told.append)
    pacer.sent(model, tokens)
    return told


def test_what_was_used_counts_in_place_of_the_estimate() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        await send(pacer, 90)
        pacer.corrected(MODEL, 90, 40)
        assert not await send(pacer, 50)
        (wait,) = await send(pacer, 50)
        assert wait.reason == "no more than 90 tokens a minute"

    paced(test, Limits(tokens_per_minute=100))


def test_who_has_no_time_does_not_begin_to_wait() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        await pacer.before(MODEL, 1, lambda wait: None, 0.0)
        began = time.now
        with pytest.raises(ProviderError, match="no more than 1 request a minute"):
            await pacer.before(MODEL, 1, lambda wait: None, 5.0)
        assert time.now == began
        assert await send(pacer)

    paced(test, Limits(requests_per_minute=1))


KINDS: list[ProviderErrorKind] = ["rate_limit", "server", "network", "timeout", "empty", "malformed", "quota"]
ASKED = st.none() | st.floats(0, 200) | st.sampled_from([float("nan"), -1.0, float("inf")])


@given(st.sampled_from(KINDS), st.integers(1, 2000), ASKED, st.booleans())
def test_waits_between_attempts_are_within_bounds(
    kind: ProviderErrorKind, attempt: int, asked: float | None, retryable: bool
) -> None:
    pacer = Pacer(lambda _: Limits())
    seconds = pacer.refused(MODEL, ProviderError(kind, "no", retry_after=asked, retryable=retryable), attempt)
    told = asked is not None and 0 <= asked < float("inf")
    if not retryable or (told and asked is not None and asked > LONGEST_WAIT_S):
        assert seconds is None
        return
    assert seconds is not None
    if asked is None or not told:
        first = FIRST_BACKOFF_AFTER_LIMIT_S if kind == "rate_limit" else FIRST_BACKOFF_S
        assert 0 <= seconds <= min(LONGEST_BACKOFF_S, first * 2.0 ** min(attempt - 1, 100))
    else:
        assert max(asked, 0) < seconds < max(asked, 0) * 1.05 + 1


def limited(retry_after: float | None = None) -> ProviderError:
    return ProviderError("rate_limit", "slow down", status=429, retry_after=retry_after, retryable=True)


def test_what_the_service_asks_of_one_holds_for_all() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        await send(pacer)
        began, seconds = time.now, pacer.refused(MODEL, limited(20), 1)
        (wait,) = await send(pacer)
        assert wait.reason == "the service asked to wait"
        assert time.now == pytest.approx(began + 20, abs=0.1)
        assert seconds is not None and seconds > 20
        assert not await send(pacer)

    paced(test)


def test_a_long_wait_is_an_error_that_says_when_without_a_request() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        assert pacer.refused(MODEL, limited(900), 1) is None
        with pytest.raises(ProviderError, match=r"it can be asked again at \d\d:\d\d, in 15 min") as raised:
            await send(pacer)
        assert not raised.value.retryable
        assert not await send(pacer, model="service/other")
        await time.sleep(901)
        assert not await send(pacer)

    paced(test)


@pytest.mark.parametrize("seconds", [3, 90, 900, 40_000, 1_000_000, 3e8])
def test_an_error_says_when_the_model_can_be_asked_again(seconds: float) -> None:
    told = saying_when(ProviderError("quota", "used up", status=429, retry_after=seconds, remedy="pay"))
    assert told.message.startswith("used up; it can be asked again at ")
    assert (told.kind, told.status, told.retry_after, told.remedy) == ("quota", 429, seconds, "pay")


async def sent_in_a_minute(pacer: Pacer, time: VirtualTime) -> int:
    """Send for a minute as fast as it goes, and return how much went."""
    end, count = time.now + WINDOW_S, 0
    while True:
        await send(pacer)
        if time.now >= end or count == 100:
            return count
        count += 1


def test_a_refusal_without_a_time_halves_what_goes_through_and_it_grows_back() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        for _ in range(40):
            assert not await send(pacer)
        for _ in range(3):  # they were under way together
            pacer.refused(MODEL, limited(), 1)
        await time.sleep(WINDOW_S)
        soon = await sent_in_a_minute(pacer, time)
        assert 20 <= soon <= 28
        await time.sleep(RECOVERY_S)
        later = await sent_in_a_minute(pacer, time)
        assert 40 <= later <= 56
        pacer.refused(MODEL, limited(), 1)
        await time.sleep(WINDOW_S)
        assert await sent_in_a_minute(pacer, time) < later
        await time.sleep(3 * RECOVERY_S)
        assert await sent_in_a_minute(pacer, time) == 100

    paced(test)


def test_the_next_attempts_after_a_first_refusal_go_through() -> None:
    async def test(pacer: Pacer, time: VirtualTime) -> None:
        for _ in range(int(LEAST_LEARNED)):
            assert not await send(pacer)
            pacer.refused(MODEL, limited(), 1)
            await time.sleep(6)
        (wait,) = await send(pacer)
        assert wait.reason == "no more than 4 requests a minute"

    paced(test)
