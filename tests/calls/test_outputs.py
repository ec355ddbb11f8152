from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.calls.attempt import LONGEST_RESULT
from inarch.contract.records import Effects
from inarch_sdk.short_data import shortened
from inarch_sdk.tool_decorator import tool

Kitchen = Any


def _giving(data: Any) -> Any:
    @tool
    def give() -> Any:
        """Give something long."""
        return data

    return give


@tool(effects=Effects(exclusive=True))
def page(ref: str, context: Any) -> str:
    """Read a long output."""
    return str(context.output(ref)[:20].decode())


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        ("ab" * 100_000, "ab" * 100_000),
        ({"path": "a", "content": "c" * 100_000}, "c" * 100_000),
        ([f"line {number}" for number in range(20_000)], None),
        ({"hits": [{"path": "a", "line": n, "text": "t" * 30} for n in range(5_000)], "truncated": False}, None),
    ],
)
def test_a_long_result_keeps_head_and_tail_and_the_whole_is_stored(kitchen: Kitchen, data: Any, whole: Any) -> None:
    call = kitchen.call(_giving(data))
    metadata = call.result.metadata
    assert metadata["truncated"] is True
    assert len(json.dumps(call.result.data)) < LONGEST_RESULT
    stored = kitchen.store.get_blob("session", metadata["output_ref"]).decode()
    assert stored == whole if whole is not None else json.loads(stored) == data
    assert type(call.result.data) is type(data)
    paged = kitchen.call(page, ref=metadata["output_ref"])
    assert paged.result.data == stored[:20]


def test_a_cut_text_says_where_the_rest_is(kitchen: Kitchen) -> None:
    data = "head" + "x" * 100_000 + "tail"
    call = kitchen.call(_giving(data))
    assert call.result.data.startswith("head") and call.result.data.endswith("tail")
    assert f'the whole is output_ref "{call.result.metadata["output_ref"]}"' in call.result.data


_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=6),
    max_leaves=60,
)


@given(_data, st.integers(50, 2000))
def test_what_fits_is_not_changed_and_the_shape_stays(data: Any, room: int) -> None:
    short = shortened(data, "ref", room)
    assert type(short) is type(data)
    if len(json.dumps(data, ensure_ascii=False)) <= room:
        assert short == data
    if isinstance(data, dict):
        assert list(short) == list(data)
