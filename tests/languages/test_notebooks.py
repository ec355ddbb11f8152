"""The code of a notebook stands on the lines of its file; what is no Python is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.languages.notebooks import code_of


def notebook(*cells: tuple[str, str]) -> bytes:
    rows = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    return json.dumps({"cells": rows}, indent=1).encode()


def test_each_line_of_code_stands_where_it_stands_in_the_file() -> None:
    data = notebook(("markdown", "def no(): pass\nat all"), ("code", "x = 'a\\n'\ny = 2\n"))
    lines = data.decode().split("\n")
    found = code_of(data).decode().split("\n")
    assert len(found) == len(lines)
    assert {lines[place].strip(): text for place, text in enumerate(found) if text} == {
        r""""x = 'a\\n'\n",""": r"x = 'a\n'",
        r'"y = 2\n"': "y = 2",
    }


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%matplotlib inline\nx = 1\n", ["pass", "x = 1"]),
        ("if x:\n    !ls\n", ["if x:", "    pass"]),
        ("len?\ny = 2\n", ["pass", "y = 2"]),
        ("%%bash\nrm -r it\n", []),
        ("%%time\nx = 1\n", ["pass", "x = 1"]),
    ],
)
def test_commands_of_the_notebook_are_no_code(cell: str, code: list[str]) -> None:
    assert [line for line in code_of(notebook(("code", cell))).decode().split("\n") if line] == code


@given(st.binary())
def test_any_bytes_give_as_many_lines_as_they_have(data: bytes) -> None:
    assert len(code_of(data).decode().split("\n")) == len(data.decode("utf-8", "replace").split("\n"))
