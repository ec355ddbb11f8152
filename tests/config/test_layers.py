"""One layer over another: key by key the upper one counts, rules are those of both; and what a file's tables may be."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.config.layers import Layer, Tables, read_layer
from inarch.config.sources import Given, Source
from inarch.contract.errors import ConfigError

FILE = Source("a file")
NAME, KEY = st.sampled_from("ab"), st.sampled_from("xyz")
TABLES = st.dictionaries(NAME, st.sets(KEY))
LAYER = st.fixed_dictionaries(
    {
        "profile": st.booleans(),
        **dict.fromkeys(("profiles", "plugins", "isolation"), TABLES),
        "rules": st.integers(0, 2),
        "commands": st.sets(NAME),
    }
)


def made(number: int, gives: dict[str, Any]) -> Layer:
    """Return a layer in which every value is the layer's number."""
    one = Given(number, FILE)
    profiles, plugins, isolation = (
        {name: dict.fromkeys(keys, one) for name, keys in gives[table].items()}
        for table in ("profiles", "plugins", "isolation")
    )
    rules, commands = (one,) * gives["rules"], dict.fromkeys(gives["commands"], one)
    return Layer(one if gives["profile"] else None, profiles, plugins, isolation, rules, commands)


def values(tables: Tables) -> dict[str, dict[str, int]]:
    return {name: {key: one.value for key, one in table.items()} for name, table in tables.items()}


@given(st.lists(LAYER, min_size=1, max_size=4))
def test_of_each_key_the_uppermost_counts_and_rules_are_all_in_order(gives: list[dict[str, Any]]) -> None:
    layer = reduce(Layer.under, [made(number, one) for number, one in enumerate(gives)])
    last = [number for number, one in enumerate(gives) if one["profile"]]
    assert (layer.profile and layer.profile.value) == (last[-1] if last else None)
    for name in ("profiles", "plugins", "isolation"):
        wanted: dict[str, dict[str, int]] = {}
        for number, one in enumerate(gives):
            for table, keys in one[name].items():
                wanted.setdefault(table, {}).update(dict.fromkeys(keys, number))
        assert values(getattr(layer, name)) == wanted
    assert [one.value for one in layer.rules] == [
        number for number, one in enumerate(gives) for _ in range(one["rules"])
    ]
    assert {name: one.value for name, one in layer.commands.items()} == {
        name: number for number, one in enumerate(gives) for name in one["commands"]
    }


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (1, ""),
        (2, "was written for a newer Inarch (version 2; this one knows 1)"),
        *((other, "must be 1") for other in (0, True, "1", 1.0)),
    ],
)
def test_of_a_file_of_another_version_nothing_is_read(version: Any, said: str) -> None:
    problems: list[ConfigError] = []
    layer = read_layer(FILE, {"version": version, "profile": "work", "unknown": 1}, problems)
    if said:
        assert [one.message for one in problems] == [f"a file: version: {said}"]
        assert layer.profile is None
    else:
        assert [one.key for one in problems] == ["unknown"]
        assert layer.profile is not None and layer.profile.value == "work"


@pytest.mark.parametrize("key", ["extends", "model"])
def test_a_key_of_a_profile_that_stands_outside_of_one_is_told_its_place(key: str) -> None:
    problems: list[ConfigError] = []
    read_layer(FILE, {"version": 1, key: "x"}, problems)
    assert [(str(one.message), one.remedy) for one in problems] == [
        (f"a file: {key}: belongs to a profile", "put it under [profiles.default]")
    ]
