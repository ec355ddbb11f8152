"""Which lines of two texts are the same: what is alike at both ends, then the most lines that each has once."""

from __future__ import annotations

import sys
from bisect import bisect_left
from difflib import unified_diff
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.output.line_matches import Hunk, hunks, line_counts, same_lines, split_lines, unified


def lines(text: str) -> list[bytes]:
    """Return a text of lines with a letter each."""
    return [letter.encode() + b"\n" for letter in text]


def kept(old: str, new: str) -> list[tuple[int, int]]:
    return sorted(same_lines(lines(old), lines(new)).items())


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        pytest.param("12345pqr", "pqr1.2.3.4.5", "___1_2_3_4_5", id="more lines before a longer stretch"),
        pytest.param("pqr1.2.3.4.5", "12345pqr", "12345___", id="the same the other way round"),
        pytest.param("..a..b..", "..b..a..", "..___a..", id="one of two lines that changed places"),
        pytest.param("h--x--m--y--t", "h--m--x--y--t", "h--___x--y--t", id="a line that moved up"),
        pytest.param("{a}{b}{c}", "{a}{n}{b}{c}", "{a}{___b}{c}", id="a part put in between others like it"),
        pytest.param("xaxbx", "xbxax", "x__ax", id="lines that stand several times are no anchors"),
        pytest.param("paaq", "raas", "_aa_", id="lines without an anchor are compared one by one"),
        pytest.param("1aa2aa3", "4aa2aa5", "_aa2aa_", id="around an anchor, too"),
        pytest.param("1a2a3", "4a5a6", "_a_a_", id="with others in between"),
        pytest.param("x.a.1.b", "a.x.b.2", "__x.b__", id="once in a part is enough"),
        pytest.param("aab", "baab", "_aab", id="what is alike at the end goes first"),
        pytest.param("aa", "a", "a", id="of two the first"),
        pytest.param("xaa", "a", "a", id="of two the last, if it is the end"),
        pytest.param("a", "xaa", "__a", id="the same the other way round, at the end"),
        pytest.param("", "a", "_", id="nothing before"),
        pytest.param("a", "", "", id="nothing after"),
    ],
)
def test_lines_that_stay(old: str, new: str, wanted: str) -> None:
    found = kept(old, new)
    shown = dict(found)
    assert "".join(new[at] if at in shown else "_" for at in range(len(new))) == wanted
    assert [old[was] for _, was in found] == [new[at] for at, _ in found]
    assert [was for _, was in found] == sorted({was for _, was in found})


@given(st.permutations(range(9)), st.integers(0, 2), st.integers(0, 2))
def test_of_lines_that_stand_once_as_many_stay_as_can(order: list[int], head: int, tail: int) -> None:
    ends: list[int] = []  # the longest rising chain, by its length
    for one in order:
        at = bisect_left(ends, one)
        ends[at : at + 1] = [one]
    around = "h" * head, "t" * tail
    old, new = ("".join(map(str, some)).join(around) for some in (range(9), order))
    found = kept(old, new)
    assert len(found) == len(ends) + head + tail
    assert all(new[at] == old[was] for at, was in found)


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


@given(TEXTS, TEXTS, st.integers(0, 4))
def test_a_unified_diff_makes_the_one_text_of_the_other(old: list[str], new: list[str], context: int) -> None:
    made: list[str] = []
    at = 0
    for line in list(unified(old, new, ("old", "new"), context))[2:]:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            start = int(first) - (count != "0")
            made, at = made + old[at:start], start
        elif line[0] == "-":
            assert old[at] == line[1:]
            at += 1
        else:
            made.append(line[1:])
            at += line[0] == " "
    assert made + old[at:] == new


def test_a_unified_diff_reads_as_that_of_the_standard_library() -> None:
    old, new = [str(number) for number in range(30)], [str(number) for number in range(30) if number not in (3, 20)]
    new.insert(10, "x")
    for one, other in ((old, new), (new, old), ([], old), (old, []), (["a"], ["b"]), (old, old)):
        assert list(unified(one, other, ("p", "q"))) == list(unified_diff(one, other, "p", "q", lineterm=""))


@pytest.mark.parametrize("kinds", [12, 40, 120])
def test_steps_are_bounded_for_any_texts(kinds: int) -> None:
    """Lines that come again and again in another order: difflib goes through each pair for each line."""
    old = [f"{number % kinds}" for number in range(20_000)]
    new = [f"{number * 7 % kinds}" for number in range(20_000)]
    steps = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > 3_000_000:
            raise AssertionError("too many steps")

    former = sys.getprofile()
    sys.setprofile(count)
    try:
        shown = list(unified(old, new, ("old", "new")))
    finally:
        sys.setprofile(former)
    assert len(shown) > 20_000


def test_lines_end_at_line_feeds_only() -> None:
    assert split_lines(b"") == []
    assert split_lines(b"a\r\x0bb\n\nc") == [b"a\r\x0bb\n", b"\n", b"c"]


def test_hunks_are_what_lies_between() -> None:
    assert hunks(lines("12345"), lines("1x2245y")) == [Hunk(1, 1, 1, 2), Hunk(2, 3, 3, 4), Hunk(5, 5, 6, 7)]
    assert hunks(lines("12"), lines("12")) == hunks([], []) == []
    assert hunks(lines("12"), []) == [Hunk(0, 2, 0, 0)]


DASHED = st.lists(st.sampled_from(["-- a\n", "++ b\n", "@@ c\n", "d\n", "d"]), max_size=8)


@given(DASHED, DASHED)
def test_counts_and_hunks_are_those_of_the_rows(old: list[str], new: list[str]) -> None:
    rows = [*unified(old, new, ("a", "b"), context=0)][2:]
    assert len([row for row in rows if row.startswith("@@")]) == len(hunks(old, new))
    assert line_counts(old, new) == tuple(sum(row.startswith(sign) for row in rows) for sign in "+-")
