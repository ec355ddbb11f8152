"""Tests of kept-tool: what every tool has to do, and what this one does."""

import inarch
from inarch.testing import ToolContract
from inarch_kept_tool import kept_tool


class TestKeptTool(ToolContract):
    valid = ({"text": "hello"}, {"text": "", "times": 2, "mark": "?"})
    failing = ({"text": "hello", "times": 0},)
    repeatable = True

    def make(self) -> inarch.Tool:
        return kept_tool


def test_it_is_loud() -> None:
    assert kept_tool("hello", times=2) == "HELLO! HELLO!"
