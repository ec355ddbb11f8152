"""Kinds of values out of annotations, and what reads them agrees."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from attrs import field, frozen, make_class
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from inarch.config.values import Wrong, read_value
from inarch_sdk.settings import Kind, key, keys_of, kind_of
from inarch_sdk.settings_schema import table_schema


class Size(Enum):
    SMALL = "small"
    LARGE = 2


@frozen
class Point:
    x: int
    y: int = 0


TEXT, WHOLE = Kind("scalar", str), Kind("scalar", int)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (Any, Kind("any")),
        (object, Kind("any")),
        (Annotated[str, "told"], TEXT),
        (str | None, TEXT._replace(is_optional=True)),
        (int | str | None, Kind("either", of=(WHOLE, TEXT), is_optional=True)),
        (Literal["a", 1], Kind("choice", choices=("a", 1))),
        (Size, Kind("choice", Size, choices=("small", 2))),
        (list, Kind("list", list)),
        (frozenset[str], Kind("list", frozenset, (TEXT,))),
        (Sequence[str], Kind("list", tuple, (TEXT,))),
        (Collection[int], Kind("list", tuple, (WHOLE,))),
        (tuple[str, ...], Kind("list", tuple, (TEXT,))),
        (tuple[str, int], Kind("list", tuple, (TEXT, WHOLE), is_fixed=True)),
        (Mapping[str, int], Kind("table", dict, (WHOLE,))),
        (dict, Kind("table", dict)),
        (Point, Kind("record", Point)),
        (complex, Kind("odd", complex)),
    ],
)
def test_an_annotation_is_of_one_kind(annotation: Any, kind: Kind) -> None:
    assert kind_of(annotation) == kind


def test_keys_go_by_the_name_that_the_table_has() -> None:
    @frozen
    class Table:
        _hidden: str = "h"
        made: int = field(init=False, default=1)
        not_a_key: str = field(default="", metadata={"key": False})
        words: tuple[str, ...] = key("Some words.", (), one_or_more=True)
        amount: int = field(default=1, converter=int)

    keys = keys_of(Table)
    assert list(keys) == ["hidden", "words", "amount"]
    assert (keys["words"].doc, keys["words"].one_or_more, keys["hidden"].is_required) == ("Some words.", True, False)


ANNOTATIONS = st.recursive(
    st.sampled_from([str, int, float, bool, Path, Decimal, Any, Point, Size, Literal["a", 1], str | None]),
    lambda inner: st.one_of(
        inner.map(lambda one: list[one]),  # type: ignore[valid-type]
        inner.map(lambda one: dict[str, one]),  # type: ignore[valid-type]
        st.tuples(inner, inner).map(lambda two: two[0] | two[1] if Any not in two else Any),
    ),
    max_leaves=4,
)
VALUES = st.recursive(
    st.one_of(st.integers(-3, 3), st.booleans(), st.sampled_from(["", "a", "small", "0.5", 0.5])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["x", "y", "z"]), inner)),
    max_leaves=4,
)


@given(ANNOTATIONS, VALUES)
def test_the_schema_takes_just_what_is_read(annotation: Any, value: Any) -> None:
    cls = make_class("Table", {"it": field(type=annotation)})
    try:
        read_value(keys_of(cls)["it"].kind, value)
        is_read = True
    except Wrong:
        is_read = False
    schema = table_schema(cls)
    assert Draft202012Validator(json.loads(json.dumps(schema))).is_valid({"it": value}) == is_read
