"""Neighbouring pieces of text are one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import CallDelta, Delta, Finish, ProviderError, ReasoningDelta, TextDelta, join_deltas

DELTAS = st.lists(
    st.builds(TextDelta, st.text(max_size=3))
    | st.builds(ReasoningDelta, st.text(max_size=3))
    | st.builds(CallDelta, st.integers(0, 2))
    | st.just(Finish("stop"))
)


def letters(deltas: list[Delta]) -> list[object]:
    return [
        one
        for delta in deltas
        for one in (
            [(type(delta), c) for c in delta.text] if isinstance(delta, (TextDelta, ReasoningDelta)) else [delta]
        )
    ]


@given(DELTAS)
def test_nothing_is_lost_and_order_is_kept(deltas: list[Delta]) -> None:
    found = list(join_deltas(deltas))
    assert letters(found) == letters(deltas)
    texts = (TextDelta, ReasoningDelta)
    assert not any(type(one) is type(other) and isinstance(one, texts) for one, other in pairwise(found))


def test_what_came_before_an_error_is_yielded() -> None:
    def broken() -> Iterator[Delta]:
        yield TextDelta("a")
        yield TextDelta("b")
        raise ProviderError("server", "broke")

    found: list[Delta] = []
    with pytest.raises(ProviderError, match="broke"):
        found.extend(join_deltas(broken()))
    assert found == [TextDelta("ab")]
