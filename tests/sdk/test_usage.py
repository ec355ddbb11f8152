"""Reports of usage in all shapes that services send."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import Usage, credible_usage, reported_usage, token_count

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals(allow_nan=True).map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@pytest.mark.parametrize("value", [None, True, -1, -1.0, "-1", 0.5, "x", "", "9" * 5_000, 2**63, float("nan"), []])
def test_nonsense_is_not_a_count(value: Any) -> None:
    assert token_count(value) is None


@given(*[ANYTHING] * 6)
def test_any_report_becomes_a_usage_with_input_or_none(
    read: Any, made: Any, cached: Any, thoughts: Any, written: Any, cost: Any
) -> None:
    usage = reported_usage([read], [made], cached=cached, thoughts=thoughts, written=written, costs=[cost])
    assert usage is None or (usage.input_tokens > 0 and usage.output_tokens >= 0)
    if made is not None and token_count(made) is None:
        assert usage is None


def test_members_add_up_and_absent_ones_count_nothing() -> None:
    assert reported_usage(["70", 30.0], [None, 5], costs=[0.25, "0.5"]) == Usage(100, 5, cost_usd=Decimal("0.75"))
    assert reported_usage([100], [], costs=[0.25, None]) == Usage(100)


def test_a_reply_with_output_is_not_one_of_no_output_tokens() -> None:
    free = Usage(cost_usd=Decimal(0))
    assert credible_usage(Usage(100), has_output=True) is None
    assert credible_usage(Usage(100), has_output=False) == Usage(100)
    assert credible_usage(free, has_output=True) == free
