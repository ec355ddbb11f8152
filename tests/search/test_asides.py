"""A text is taken apart into its code, its comments and its strings, each on the lines where it stood."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.search.comment_text import Parted

ASIDES = re.compile(r'#[^\n]*|"[^"]*"')
TEXT = '''# first
a = "one text"  # why
b = "x"
c = """two
lines"""
# above
d()
'''


def test_code_stays_on_its_lines_without_comments_and_strings() -> None:
    parted = Parted.of(TEXT, ASIDES)
    assert [line.strip() for line in parted.code] == ["", "a =", "b =", "c =", "", "", "d()", ""]


def test_comments_right_above_belong_to_what_follows() -> None:
    parted = Parted.of(TEXT, ASIDES)
    assert parted.comments_of(7, 7) == "# above"
    assert parted.comments_of(2, 2) == "# first # why"
    assert parted.comments_of(4, 4) == ""


@given(st.lists(st.sampled_from(["x", "# why\n", '"text"', '"a\nb"', "\n", " ", "y = 1\n"])))
def test_no_line_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert len(Parted.of(text, ASIDES).code) == text.count("\n") + 1
