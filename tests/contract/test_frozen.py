"""Records have their text, equality and hash in common: the same as attrs would write for each."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.frozen import frozen


def classes() -> tuple[Any, Any]:
    class Record:
        a: Any
        b: Any = attrs.field(default=0, repr=False)
        c: Any = attrs.field(default=0, eq=False)

    return frozen(type("Record", (), dict(vars(Record)))), attrs.frozen(type("Record", (), dict(vars(Record))))


OURS, THEIRS = classes()
VALUES = st.one_of(st.integers(0, 2), st.text(max_size=2), st.none(), st.tuples(st.integers(0, 1)))
FIELDS = st.tuples(VALUES, VALUES, VALUES)


@given(FIELDS, FIELDS)
def test_a_record_is_what_attrs_would_make_of_it(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    ours, theirs = (OURS(*one), OURS(*other)), (THEIRS(*one), THEIRS(*other))
    assert repr(ours[0]) == repr(theirs[0])
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] != ours[1]) == (theirs[0] != theirs[1])
    assert ours[0] != one and hash(ours[0]) == hash(OURS(*one))
    assert len(set(ours)) == len(set(theirs))


def test_a_record_never_changes_and_one_that_holds_a_list_has_no_hash() -> None:
    record = OURS([1])
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        record.a = 2
    with pytest.raises(TypeError):
        hash(record)
    assert attrs.evolve(record, b=3) == OURS([1], 3)
