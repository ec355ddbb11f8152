"""What stops a turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.turns.meter import PERIODS, REPEATS, LimitReached, Repeats


def done(name: str, data: object) -> inarch.ToolCall:
    return inarch.ToolCall(inarch.new_id(), "", "t", name, {}, "success", inarch.ToolResult(True, data))


@given(st.integers(1, max(PERIODS)))
def test_a_cycle_of_any_period_is_told_at_its_third_round_and_stopped_where_it_goes_on(period: int) -> None:
    repeats = Repeats()
    told = [repeats.saw([done(f"tool{step % period}", 1)], {}) for step in range(REPEATS * period)]
    assert [bool(words) for words in told] == [False] * (REPEATS * period - 1) + [True]
    assert "3 times, and nothing changed" in told[-1]
    with pytest.raises(LimitReached, match="nothing changed") as caught:
        repeats.saw([done("tool0", 1)], {})
    assert caught.value.name == "repeated_states"


@given(st.integers(1, max(PERIODS)))
def test_who_does_something_else_after_the_warning_is_warned_anew(period: int) -> None:
    repeats = Repeats()
    for _ in range(2):
        told = [repeats.saw([done(f"tool{step % period}", 1)], {}) for step in range(REPEATS * period)]
        assert bool(told[-1])
        assert not repeats.saw([done("something else", 1)], {})


@given(st.lists(st.integers(), min_size=3, max_size=30, unique=True))
def test_a_poll_whose_output_changes_is_not_a_loop(outputs: list[int]) -> None:
    repeats = Repeats()
    for output in outputs:
        repeats.saw([done("poll", output)], {})
    assert len(repeats.states) <= REPEATS * max(PERIODS)


def test_the_same_call_over_changed_files_is_not_a_loop() -> None:
    repeats = Repeats()
    for number in range(6):
        repeats.saw([done("run_tests", "1 failed")], {"a.py": str(number)})
    assert len(repeats.states) == 6
