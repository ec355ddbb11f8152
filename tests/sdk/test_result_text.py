from __future__ import annotations

from typing import Any

import pytest

from inarch import ToolError, ToolResult, result_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("plain", "plain"),
        (None, "null"),
        ([1, "ä"], '[1,"ä"]'),
        ({"a": "x", "b": 1}, '{"a":"x","b":1}'),
        ({"path": "a", "content": "one\ntwo\n"}, '{"path":"a"}\ncontent:\none\ntwo\n'),
        ({"content": "one\ntwo"}, "one\ntwo"),
        (
            {"content": "one\ntwo", "truncated": False, "note": None, "passed": False},
            '{"passed":false}\ncontent:\none\ntwo',
        ),
        ({"truncated": False, "note": None}, '{"truncated":false,"note":null}'),
        ({"short": "a\nb", "long": "c\nd\ne"}, '{"short":"a\\nb"}\nlong:\nc\nd\ne'),
    ],
)
def test_data_becomes_text(data: Any, text: str) -> None:
    assert result_text(ToolResult(True, data)) == text


def test_an_error_says_what_to_do_and_keeps_its_data() -> None:
    error = ToolError("conflict", "a.py has changed", "read it again")
    assert result_text(ToolResult(False, error=error)) == "error (conflict): a.py has changed read it again"
    assert result_text(ToolResult(False, {"code": 1}, error)).endswith('again\n{"code":1}')
