"""What stops a turn."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.turns.limits import PERIODS, REPEATS, LimitReached, Meter, Repeats, TurnLimits


def done(name: str, data: object) -> inarch.ToolCall:
    return inarch.ToolCall(inarch.new_id(), "", "t", name, {}, "success", inarch.ToolResult(True, data))


@given(st.integers(1, max(PERIODS)))
def test_a_cycle_of_any_period_is_noticed_at_its_third_round(period: int) -> None:
    repeats = Repeats()
    for _ in range(REPEATS - 1):
        for step in range(period):
            repeats.saw([done(f"tool{step}", 1)], {})
    with pytest.raises(LimitReached, match="nothing changed") as caught:
        for step in range(period):
            repeats.saw([done(f"tool{step}", 1)], {})
    assert caught.value.name == "repeated_states"


@given(st.lists(st.integers(), min_size=3, max_size=30, unique=True))
def test_a_poll_whose_output_changes_is_no_loop(outputs: list[int]) -> None:
    repeats = Repeats()
    for output in outputs:
        repeats.saw([done("poll", output)], {})
    assert len(repeats.states) <= REPEATS * max(PERIODS)


def test_the_same_call_over_changed_files_is_no_loop() -> None:
    repeats = Repeats()
    for number in range(6):
        repeats.saw([done("run_tests", "1 failed")], {"a.py": str(number)})
    assert len(repeats.states) == 6


def test_tokens_iterations_and_time_end_a_turn() -> None:
    meter = Meter(TurnLimits(max_iterations=2))
    meter.next_iteration()
    meter.next_iteration()
    with pytest.raises(LimitReached, match="--max-iterations 4"):
        meter.next_iteration()
    meter = Meter(TurnLimits(max_tokens=15))
    meter.add(inarch.Usage(10, 5))
    with pytest.raises(LimitReached, match="15 of max_tokens = 15"):
        meter.next_iteration()
    with pytest.raises(LimitReached, match="max_seconds"):
        Meter(TurnLimits(max_seconds=0.0)).next_iteration()


PRICE = inarch.Price(Decimal(1), Decimal(10))


def test_money_is_reserved_before_a_request() -> None:
    meter = Meter(TurnLimits(max_cost_usd=Decimal("0.02")))
    assert meter.affordable_output(PRICE, 10_000, 8_000) == 1_000
    assert meter.affordable_output(PRICE, 10_000, 500) == 500
    assert meter.affordable_output(None, 10_000, 500) is None
    meter.add(inarch.Usage(10_000, 1_000, cost_usd=Decimal("0.0185")))
    with pytest.raises(LimitReached, match=r"spent 0\.0185"):
        meter.affordable_output(PRICE, 1_000, 8_000)


def test_an_unknown_cost_stays_unknown_in_the_sum() -> None:
    meter = Meter(TurnLimits())
    meter.add(inarch.Usage(1, 1, cost_usd=Decimal(1)))
    assert meter.usage.cost_usd == Decimal(1)
    meter.add(inarch.Usage(1, 1))
    assert meter.usage.cost_usd is None
