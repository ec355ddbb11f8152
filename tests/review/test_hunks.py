"""Numbers of lines in a diff."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.review.hunks import read_file_diff

LINE = st.sampled_from(["a", "b", "", "@@ -1,9 +1,9 @@", "diff --git a/x b/x", "--- a/x", "+++ b/x", "\\ no", "-", "+"])
TEXT = st.lists(LINE, max_size=30)


@given(TEXT, TEXT, st.integers(0, 3))
def test_each_line_of_a_hunk_has_its_number_whatever_it_says(old: list[str], new: list[str], around: int) -> None:
    diff = "\n".join(difflib.unified_diff(old, new, "a/x", "b/x", n=around, lineterm=""))
    file = read_file_diff("x", None, diff)
    for hunk in file.hunks:
        assert all(old[number - 1] == text for number, text in hunk.left.items())
        assert all(new[number - 1] == text for number, text in hunk.right.items())
    gone = {number for hunk in file.hunks for number in hunk.left}
    kept = [text for number, text in enumerate(old, 1) if number not in gone]
    come = {number for hunk in file.hunks for number in hunk.right}
    assert kept == [text for number, text in enumerate(new, 1) if number not in come]
