"""What the question for approval shows, and what an answer means."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.cli.front_ends.approvals import answers, question


@inarch.tool
def write_file(file_path: str, content: str) -> str:
    """Write a file."""
    return f"{file_path}: {content}"


def request(number: int = 1, preview: str = "", **arguments: Any) -> inarch.ApprovalRequest:
    call = inarch.ToolCall(f"c{number}", "", "t", "write_file", arguments or {"file_path": "a.txt", "content": "x"})
    return inarch.ApprovalRequest(call, write_file, "writes files", preview)


BATCH = [request(1), request(2), request(3)]


def outcomes(line: str) -> list[str]:
    found = answers(line, BATCH)
    assert isinstance(found, tuple)
    return [approval.outcome for approval in found]


def test_words() -> None:
    assert outcomes("y\n") == outcomes("ALL") == outcomes("a") == ["approve"] * 3
    assert outcomes("") == outcomes("n") == outcomes("none") == ["deny"] * 3
    assert outcomes("1 3") == outcomes("3,1") == ["approve", "deny", "approve"]
    assert answers("v", BATCH) == "view"


def test_a_reason_comes_with_the_no() -> None:
    found = answers("n not that file\n", BATCH)
    assert [approval.reason for approval in found if isinstance(approval, inarch.Approval)] == ["not that file"] * 3


def test_always_is_for_the_tool() -> None:
    found = answers("a", BATCH)
    assert {approval.scope for approval in found if isinstance(approval, inarch.Approval)} == {"tool"}


@given(st.text(string.printable + "²٣é"))
def test_only_a_clear_yes_approves(line: str) -> None:
    found = answers(line, BATCH)
    if not isinstance(found, tuple):
        assert found in ("view", "unclear")
        return
    assert [approval.call_id for approval in found] == ["c1", "c2", "c3"]
    if any(approval.outcome == "approve" for approval in found):
        word = line.strip().lower()
        assert word in ("y", "yes", "all", "a", "always") or set(word.replace(",", " ").split()) <= {"1", "2", "3"} | {
            f"{'0' * zeros}{digit}" for zeros in range(9) for digit in "123"
        }


def test_the_question_shows_what_will_run_harmlessly() -> None:
    text = question([request(file_path="a\x1b[2J.txt", content="one\ntwo\u202e")])
    assert "file_path = a\\x1b[2J.txt" in text
    assert "two\\u202e" in text
    assert "\x1b" not in text


def test_a_preview_takes_the_place_of_arguments_and_a_cut_is_told() -> None:
    text = question([request(preview="\n".join(f"+line {i}" for i in range(100)))])
    assert "+line 0" in text and "+line 99" not in text
    assert "70 more lines" in text and "v view all" in text
    assert "+line 99" in question([request(preview="\n".join(f"+line {i}" for i in range(100)))], whole=True)
