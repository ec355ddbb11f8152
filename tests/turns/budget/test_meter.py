"""What a turn may spend: its worst case is set aside before each request."""

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.turns.meter import ASSUMED_OUTPUT, LEAST_OUTPUT, Hold, LimitReached, Meter, TurnLimits
from inarch_sdk.usage import priced

PRICE = inarch.Price(Decimal(1), Decimal(10))


def meter(**limits: object) -> Meter:
    return Meter(TurnLimits(**limits))  # type: ignore[arg-type]


def test_tokens_iterations_and_time_end_a_turn() -> None:
    measured = meter(max_iterations=2)
    measured.next_iteration()
    measured.next_iteration()
    with pytest.raises(LimitReached, match="--max-iterations 4"):
        measured.next_iteration()
    measured = meter(max_tokens=15)
    measured.add(inarch.Usage(10, 5))
    with pytest.raises(LimitReached, match="15 of max_tokens = 15"):
        measured.next_iteration()
    with pytest.raises(LimitReached, match="max_seconds"):
        meter(max_seconds=0.0).next_iteration()


def test_money_is_reserved_before_a_request() -> None:
    measured = meter(max_cost_usd=Decimal("0.02"))
    for own, output in ((8_000, 1_000), (500, 500)):
        hold = measured.reserve_now(PRICE, 10_000, None, own)
        assert hold.output == output
        measured.release(hold)
    assert measured.reserve_now(None, 10_000, None, 500).output is None
    measured.add(inarch.Usage(10_000, 1_000, cost_usd=Decimal("0.0185")))
    with pytest.raises(LimitReached, match=r"spent 0\.0185") as caught:
        measured.reserve_now(PRICE, 1_000, None, 8_000)
    assert caught.value.name == "max_cost_usd"


def test_tokens_are_reserved_before_a_request() -> None:
    measured = meter(max_tokens=2_000)
    assert measured.reserve_now(None, 1_000, None, None).output == 1_000
    with pytest.raises(LimitReached, match="max_tokens = 2000") as caught:
        meter(max_tokens=2_000).reserve_now(None, 1_900, None, None)
    assert caught.value.name == "max_tokens"
    assert meter(max_tokens=2_000).reserve_now(None, 1_900, 50, None).output == 50  # as little as it wants itself
    assert meter(max_tokens=10**6).reserve_now(None, 1_000, None, None).output == ASSUMED_OUTPUT


def test_two_requests_at_once_cannot_spend_the_same_money() -> None:
    async def go() -> None:
        measured = meter(max_cost_usd=Decimal("0.02"))
        first = await measured.reserve(PRICE, 10_000, None, None)
        waiting = asyncio.create_task(measured.reserve(PRICE, 2_000, None, None))
        await asyncio.sleep(0)
        assert not waiting.done()
        measured.add(inarch.Usage(10_000, 100, cost_usd=Decimal("0.011")))
        measured.release(first)
        second = await waiting
        assert second.output == 700
        third = asyncio.create_task(measured.reserve(PRICE, 2_000, None, None))
        await asyncio.sleep(0)
        measured.add(inarch.Usage(2_000, 700, cost_usd=Decimal("0.009")))
        measured.release(second)
        with pytest.raises(LimitReached):
            await third

    asyncio.run(go())


money = st.decimals(0, 50, places=2)
requests = st.fixed_dictionaries(
    {
        "price": st.none() | st.builds(inarch.Price, money, money),
        "counted": st.integers(0, 20_000),
        "wanted": st.none() | st.integers(1, 50_000),
        "own": st.none() | st.integers(1, 100_000),
        "share": st.sampled_from([0.0, 0.5, 1.0]),
        "told": st.booleans(),
        "together": st.booleans(),
    }
)


@given(
    st.none() | st.decimals(0, 1, places=3),
    st.none() | st.integers(1, 10**5),
    st.lists(requests, min_size=2, max_size=12),
)
def test_what_is_spent_never_passes_a_limit(
    max_cost: Decimal | None, max_tokens: int | None, asked: list[dict[str, object]]
) -> None:
    """Whatever is asked, at whatever price, one after the other or together, told or not: bills stay within limits."""
    measured = meter(max_cost_usd=max_cost, max_tokens=max_tokens)
    bill, tokens = Decimal(0), 0
    under_way: list[tuple[Hold, inarch.Price | None, int, int, bool]] = []

    def settle() -> None:
        nonlocal bill, tokens
        for hold, price, counted, output, told in under_way:
            usage = priced(inarch.Usage(counted, output), price)
            bill += usage.cost_usd or 0
            tokens += counted + output
            if told:
                measured.add(usage)
            else:
                measured.unreported(inarch.Usage(counted, 0), hold.tokens, hold.cost)
            measured.release(hold)
        under_way.clear()

    for one in asked:
        price, counted, wanted, own = one["price"], one["counted"], one["wanted"], one["own"]
        try:
            hold = measured.reserve_now(price, counted, wanted, own)  # type: ignore[arg-type]
        except LimitReached:
            continue
        assert hold.output is None or hold.output >= min(LEAST_OUTPUT, wanted or LEAST_OUTPUT, own or LEAST_OUTPUT)  # type: ignore[call-overload]
        bound = 10**6 if hold.output is None else hold.output
        under_way.append((hold, price, counted, int(bound * one["share"]), bool(one["told"])))  # type: ignore[arg-type,operator]
        if not one["together"]:
            settle()
    settle()
    assert max_cost is None or bill <= max_cost
    assert max_tokens is None or tokens <= max_tokens
