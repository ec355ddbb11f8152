"""TOML that a stranger wrote is read within bounds; any other text means what the standard library says."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.toml import MOST_PARTS, loads

NAMES = st.sampled_from(["a", "b-1", '"c d"', "'e.f'", "1"])


@given(st.lists(NAMES, min_size=1, max_size=6), st.sampled_from([".", " . ", "\t."]), st.booleans())
def test_ordinary_keys_are_read_as_ever(names: list[str], dot: str, is_table: bool) -> None:
    key = dot.join(names)
    text = f"[{key}]\nx = 1.5\n" if is_table else f'{key} = "1.2.3"\n'
    assert loads(text) == tomllib.loads(text)


@given(NAMES, st.sampled_from([".", " . ", "\t.\t"]), st.sampled_from(["{} = 1", "[{}]", "x = {{ {} = 1 }}"]))
def test_a_key_of_very_many_parts_is_refused(name: str, dot: str, form: str) -> None:
    with pytest.raises(ValueError, match="with dots between them"):
        loads(form.format(dot.join([name] * (MOST_PARTS + 1))))


def test_an_endless_key_is_refused_by_the_configuration_and_costs_no_square() -> None:
    for line in ("a." * 500_000, "a . " * 250_000, '"' * 1_000_000, "a" * 1_000_000 + "." * 200):
        with pytest.raises(ValueError):
            loads(f"{line}a = 1")
