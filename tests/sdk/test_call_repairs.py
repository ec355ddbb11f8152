"""Names that mean one tool are its names; arguments whose meaning is plain are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_sdk.accumulator import offered_name, read_arguments

OFFERED = ("read_file", "list-files", "Read", "read", "a_b", "A-B")


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("functions.read_file", "read_file"),
        ("default_api:read_file", "read_file"),
        ("default_api.list_files", "list-files"),
        ("multi_tool_use.functions.read_file", "read_file"),
        ("read_file<|channel|>commentary", "read_file"),
        ("READ-FILE", "read_file"),
        ("READ", "READ"),  # two tools
        ("a-b", "a-b"),
        ("read_files", "read_files"),
        ("functions.", "functions."),
        ("", ""),
    ],
)
def test_a_name_is_that_of_the_one_tool_that_fits(called: str, name: str) -> None:
    assert offered_name(called, OFFERED) == name


@given(st.lists(st.text(), unique=True), st.data())
def test_an_offered_name_is_never_changed(offered: list[str], data: st.DataObject) -> None:
    for name in offered:
        assert offered_name(name, offered) == name
    other = data.draw(st.text())
    assert offered_name(other, offered) in (*offered, other)


@given(st.dictionaries(st.text(), st.text()))
def test_arguments_are_read_with_raw_line_breaks_and_encoded_twice(arguments: dict[str, str]) -> None:
    plain = json.dumps(arguments)
    assert read_arguments(plain) == (arguments, "")
    raw = plain.replace("\\n", "\n").replace("\\t", "\t")
    if "\\\n" not in raw and "\\\t" not in raw:
        assert read_arguments(raw)[0] == arguments
    assert read_arguments(json.dumps(plain)) == (arguments, "arguments that were encoded twice")


def test_nothing_is_an_object_and_half_a_one_is_none() -> None:
    assert read_arguments("") == ({}, "") and read_arguments('""')[0] == {}
    with pytest.raises(ValueError, match="delimiter"):
        read_arguments('{"a": 1')
