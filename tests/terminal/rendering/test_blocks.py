"""Where blocks of Markdown end while the text still comes."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.terminal.rendering import blocks
from inarch_plugins.terminal.rendering.blocks import Blocks
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.markdown import draw_block

FRAGMENTS = [
    "# Heading {}\n", "Setext {}\n---\n", "words {} here\n", "more {}\n\n", "\n", "- item {}\n", "- item {}\n\n",
    "  - below {}\n", "  and on {}\n", "1. first {}\n", "2. second {}\n", "* star {}\n", "> quote {}\n",
    "> > deep {}\n",
    "```python\n", "```\n", "~~~\n", "    code {}\n", "| a{} | b |\n|---|---|\n", "| one {} | two |\n", "---\n",
    "def f{}(): pass\n", "**bold {}** and `code`\n", "[text {}](http://x.y)\n", "[ref{}]: http://x.y\n", "<div>{}\n",
    "\t tab {}\n", "lazy {}", "-", "`", "#", "|",
]  # fmt: skip
INK = Ink(False, True)


@st.composite
def documents(draw: st.DrawFn) -> str:
    chosen = draw(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
    return "".join(text.format(f"w{number}q") for number, text in enumerate(chosen))


def split(text: str, cuts: list[int]) -> list[str]:
    """Feed the text in pieces and return the blocks."""
    taking, found = Blocks(), []
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for start, end in pairwise(places):
        found += taking.add(text[start:end])
    return found + taking.close()


def without_blank_lines(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.strip()]


@given(documents(), st.lists(st.integers(0, 600), max_size=40))
def test_however_a_text_comes_its_blocks_are_the_same(text: str, cuts: list[int]) -> None:
    whole = split(text, [])
    assert split(text, cuts) == whole
    assert split(text, list(range(len(text)))) == whole
    assert re.sub(r"\s", "", "".join(whole)) == re.sub(r"\s", "", text)


@given(documents(), st.integers(20, 120))
def test_blocks_one_by_one_look_like_the_whole(text: str, columns: int) -> None:
    one_by_one = "".join(draw_block(block, columns, INK) for block in split(text, list(range(0, len(text), 3))))
    whole = without_blank_lines(draw_block(text, columns, INK))
    source = without_blank_lines("\n".join(INK.wrapped(INK.plain_lines(text.rstrip("\n")), columns)))
    if whole != source:  # one block that would lose letters, such as a table's spare cell, has all shown as source
        assert without_blank_lines(one_by_one) == whole


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("# heading\n", 1), ("words\n", 0), ("words\n\n", 1), ("words\n---\n", 1), ("- item\n\n", 0),
        ("- item\n\nwords\n", 1), ("```\ncode\n\n# no heading\n", 0), ("```\ncode\n```\n", 1), ("~~~~\n~~~\n", 0),
        ("> quote\n\n", 1), ("| a |\n|---|\n| 1 |\n", 0), ("| a |\n|---|\n| 1 |\n\n", 1), ("one\n# two\n", 2),
        ("- ```\n  code\n\n  more\n", 0), ("---\n", 1), ("    code\n\n", 0), ("\n\n", 0),
    ],
)  # fmt: skip
def test_what_is_complete_is_known_as_soon_as_it_is(text: str, complete: int) -> None:
    assert len(Blocks().add(text)) == complete


@pytest.mark.parametrize(
    "line",
    ["- item of a list\n", "1. one\n\n", "> quote\n", "code in a fence\n", "words of a paragraph\n", "x",
     "| a cell | another |\n"],
)  # fmt: skip
def test_a_long_block_costs_as_much_a_line_as_a_short_one(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    tops = blocks._tops

    def counting(lines: list[str]) -> list[tuple[str, int, int, str]]:
        nonlocal looked
        looked += sum(map(len, lines))
        return tops(lines)

    monkeypatch.setattr(blocks, "_tops", counting)
    taking, size = Blocks(), 0
    head = {"code in a fence\n": "```\n", "| a cell | another |\n": "| a | b |\n|---|---|\n"}.get(line, "")
    taking.add(head)
    while size < 6_000:
        taking.add(line)
        size += len(line)
    taking.close()
    assert looked <= 40 * size


def test_the_tail_can_be_read_by_itself() -> None:
    taking = Blocks()
    taking.add("```python\n" + "x = 1\n" * 100)
    assert taking.tail(3, 1000) == "```python\n" + "x = 1\n" * 3
    taking = Blocks()
    taking.add("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100)
    assert taking.tail(2, 1000) == "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 2
    taking = Blocks()
    taking.add("- item\n  goes on\n" * 50)
    assert taking.tail(3, 1000).startswith("- item\n")
    taking = Blocks()
    taking.add("words " * 1000)
    assert len(taking.tail(3, 100)) == 100


def test_marks_alone_are_not_shown_before_they_mean_something() -> None:
    taking = Blocks()
    taking.add("Choose:\n-")
    assert taking.tail(10, 100) == "Choose:\n"
    taking.add(" one")
    assert taking.tail(10, 100) == "Choose:\n- one"
