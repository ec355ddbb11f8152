"""Data that passes is JSON that everybody reads; what doesn't is refused whatever its depth or size."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_sdk.bounds import DEEPEST, fault_of, read_json

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.builds(object), st.builds(lambda: 10**5_000)
)
DATA = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


def lists(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@given(DATA)
def test_what_passes_is_written_and_read_as_strict_json(data: Any) -> None:
    try:
        written = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError):
        assert fault_of(data)
    else:
        assert fault_of(data) == ""
        assert read_json(written) == data


@pytest.mark.parametrize(("depth", "passes"), [(DEEPEST, True), (DEEPEST + 1, False), (100_000, False)])
def test_depth_is_bounded_without_going_down_it(depth: int, passes: bool) -> None:
    assert (fault_of(lists(depth)) == "") is passes


@pytest.mark.parametrize("text", ["[" * 100_000, "NaN", "[-Infinity]", "1e999", "9" * 100_000, '{"a":', ""])
def test_text_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_json(text)
