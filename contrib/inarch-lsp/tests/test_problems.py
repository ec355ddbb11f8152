"""Which errors are new, where they stand, and messages out of pieces: without any server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_lsp.connection import MOST_BODY, MOST_HEADER, Garbage, Incoming, packed
from inarch_lsp.problems import Problem, column_of, lines_of, new_problems, problems_of, wording

LINES = st.lists(st.text(alphabet="ab é😀\t", max_size=6), min_size=1, max_size=8)
MESSAGES = st.sampled_from(["wrong", "not defined", "see line 3"])
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def placed(lines: list[str], draw: st.DrawFn) -> list[Problem]:
    """Draw errors that stand somewhere in a text."""
    count = draw(st.integers(0, 6))
    found = []
    for _ in range(count):
        line = draw(st.integers(0, len(lines) - 1))
        found.append(Problem(line, draw(st.integers(0, len(lines[line]))), draw(MESSAGES), "c"))
    return found


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, list[Problem], list[Problem], list[Problem]]:
    """Draw a text with errors, an edit that moves them, and errors that the edit brings."""
    lines = draw(LINES)
    old = placed(lines, draw)
    at, gone = draw(st.integers(0, len(lines))), draw(st.integers(0, 3))
    put = draw(LINES)
    new = [*lines[:at], *put, *lines[at + gone :]]
    shift = len(new) - len(lines)
    still = [
        Problem(p.line if p.line < at else p.line + shift, p.column, p.message, p.code)
        for p in old
        if not at <= p.line < at + gone
    ]
    fresh = [
        Problem(at + draw(st.integers(0, len(put) - 1)), 0, f"fresh {number}", "c")
        for number in range(draw(st.integers(0, 3)))
    ]
    return "\n".join(lines), "\n".join(new), old, still, fresh


@given(edits(), st.randoms(use_true_random=False))
def test_what_moved_or_stayed_is_not_new_and_all_else_is(
    drawn: tuple[str, str, list[Problem], list[Problem], list[Problem]], chance
) -> None:  # type: ignore[no-untyped-def]
    old, new, before, still, fresh = drawn
    after = [*still, *fresh]
    chance.shuffle(after)
    found = new_problems(before, old, after, new)
    assert sorted(p.message for p in found) == sorted(p.message for p in fresh)
    assert list(found) == sorted(found, key=lambda p: (p.line, p.column))


def test_a_copied_line_is_new_where_it_was_put() -> None:
    old, new = "x = bad\ny = 1\n", "x = bad\ny = 1\nz = bad\n"
    here, there = Problem(0, 4, "no bad"), Problem(2, 4, "no bad")
    assert new_problems([here], old, [here, there], new) == (there,)


def test_a_message_that_names_a_line_is_the_same_when_that_moved() -> None:
    old, new = "a\nb\n", "\na\nb\n"
    assert not new_problems([Problem(1, 0, "hides line 1")], old, [Problem(2, 0, "hides line 2")], new)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12), st.data(), st.sampled_from(sorted(CODECS))
)
def test_a_place_is_the_character_whatever_it_is_counted_in(line: str, data: st.DataObject, encoding: str) -> None:
    at = data.draw(st.integers(0, len(line)))
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    assert column_of(line, len(line[:at].encode(CODECS[encoding])) // width, encoding) == at
    assert column_of(line, 10**6, encoding) == len(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["range", "start", "line", "character", "message", "severity", "code"]), inner, max_size=7
        )
    ),
    max_leaves=20,
)


@given(JSON, st.text(max_size=20).filter(lambda text: text.isascii()))
def test_any_diagnostics_are_read_or_left_out(given_: object, text: str) -> None:
    for problem in problems_of(given_, text, "utf-16"):
        assert 0 <= problem.line < len(lines_of(text)) and problem.message is not None


def test_only_errors_count_and_one_without_a_weight_is_one() -> None:
    place = {"start": {"line": 0, "character": 1}}
    given_ = [{"range": place, "message": "m", "severity": weight} for weight in (2, 3, 4)]
    assert problems_of([*given_, {"range": place, "message": "e"}], "xy", "utf-16") == (Problem(0, 1, "e"),)


def test_many_and_long_errors_are_cut() -> None:
    text = wording("a.py", [Problem(n, 0, "x" * 5_000) for n in range(50)], "it")
    assert len(text) < 20_000 and "50 new errors" in text and text.endswith("and 30 more")


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5), max_size=3), max_size=5),
    st.integers(1, 30),
)
def test_messages_are_the_same_in_whatever_pieces_they_come(messages: list[dict[str, object]], size: int) -> None:
    data = b"".join(map(packed, messages))
    incoming = Incoming()
    found = [one for at in range(0, len(data), size) for one in incoming.take(data[at : at + size])]
    assert found == [{"jsonrpc": "2.0", **message} for message in messages]


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"x" * MOST_HEADER,
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MOST_BODY + 1),
        b"Content-Length: 999999999999999999999\r\n\r\n",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 2\r\n\r\n{]",
        b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    ],
)
def test_nonsense_is_found_before_it_is_kept(data: bytes) -> None:
    with pytest.raises(Garbage):
        list(Incoming().take(data))
