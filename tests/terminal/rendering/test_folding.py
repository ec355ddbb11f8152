"""Many calls of one reply: a line that can be opened, in the order in which they were asked for."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.call_events import CallResult
from inarch.contract.records import ToolResult

from .picturing import END, START, Stage, asked, begun, call, done, failed, replied, runs, too_wide


def many(number: int) -> Stage:
    """Return a stage on which a reply asked for so many calls."""
    stage = Stage(options={"opened_by": "Ctrl-O shows them"}).saw(begun(), asked(), replied())
    return stage.saw(*(call(f"c{one}", "read_file", file_path=f"f{one}.py") for one in range(number)))


def test_many_calls_of_a_reply_are_a_line_until_they_are_asked_for() -> None:
    stage = many(30)
    stage.saw(*(runs(f"c{one}") for one in range(30)), *(done(f"c{one}", "read_file") for one in range(29)))
    assert stage.printed() == ["● a/b"]
    assert stage.moving() == ["  ▸ 29 finished: read_file 29", "  ⋯ read_file f29.py"]
    stage.saw(done("c29", "read_file"), asked())
    assert stage.printed() == ["  ▸ 30 calls: read_file 30 · 2.5 s · Ctrl-O shows them"]
    stage.view.unfold(True)
    lines = stage.printed()
    assert len(lines) == 31 and lines[0].startswith("  ✓ read_file f0.py") and lines[-1] == ""
    stage.view.unfold(False)
    stage.view.unfold(True)
    assert stage.printed() == []


def test_calls_that_were_folded_can_be_opened_after_the_turn_but_not_in_the_next() -> None:
    stage = many(30)
    stage.saw(*(done(f"c{one}", "read_file") for one in range(30)), asked(), replied())
    assert any("30 calls" in line for line in stage.printed())
    stage.saw(begun())
    stage.view.unfold(True)
    assert stage.printed() == ["", "● a/b"]


def test_what_failed_is_not_folded_away() -> None:
    stage = many(24)
    results = [done(f"c{one}", "read_file") for one in range(24)]
    results[10] = failed("c10", "read_file", "not_found")
    results[20] = done("c20", "read_file", {"exit_code": 2, "output": "no\n"})
    stage.saw(*results, asked())
    printed = stage.printed()
    assert "f10.py" in printed[1] and "it went wrong" in printed[2]
    assert "f20.py" in printed[3] and "no" in printed[4]
    assert "22 calls: read_file 22" in printed[5] and len(printed) == 6


@given(st.integers(1, 120))
def test_a_line_of_folded_calls_is_never_wider_than_the_terminal(columns: int) -> None:
    stage = many(30).saw(*(done(f"c{one}", "read_file") for one in range(30)), asked())
    printed = stage.view.finished(columns)
    assert not too_wide(printed, columns) and (columns < 30 or "Ctrl-O shows them" in printed)


@given(
    st.lists(st.sampled_from(["ok", "error", "cancelled"]), min_size=1, max_size=40),
    st.permutations(range(40)), st.integers(1, 90), st.integers(1, 12), st.sets(st.integers(0, 40)),
)  # fmt: skip
def test_each_call_is_reported_once_in_the_order_asked(
    ends: list[str], order: list[int], columns: int, rows: int, opened: set[int]
) -> None:
    stage = many(len(ends))

    def ended(one: int) -> CallResult:
        if ends[one] == "cancelled":
            return CallResult(f"c{one}", "read_file", "cancelled", ToolResult(False), START, END)
        result = done(f"c{one}", "read_file")
        return result if ends[one] == "ok" else failed(f"c{one}", "read_file", "not_found")

    printed = []
    for place, one in enumerate(one for one in order if one < len(ends)):
        if place in opened:
            stage.view.unfold(not stage.view.is_unfolded)
        stage.saw(ended(one))
        moving = stage.moving(columns, rows)
        assert len(moving) <= rows and not too_wide("\n".join(moving), columns)
        printed += stage.printed(100)
    stage.saw(asked())
    assert not too_wide(stage.view.live(columns, rows), columns)
    stage.view.unfold(True)
    printed += stage.printed(100)
    told = [int(found[1]) for line in printed if (found := re.search(r"f(\d+)\.py", line))]
    assert sorted(told) == list(range(len(ends)))
    others = [one for one in told if ends[one] != "ok"]
    assert others == sorted(others) and (opened or len(told) > 8 or told == sorted(told))
