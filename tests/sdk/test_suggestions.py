"""A similar name is proposed, a merely related one is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_sdk.suggestions import closest, nearest

TOOLS = ("read_file", "read_output", "search_files", "write_file", "--max-cost", "--model")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("word_count", ""), ("count_words", ""), ("grep", ""), ("readfile", "read_file"), ("Read-File", "read_file"),
        ("read_ouput", "read_output"), ("--modle", "--model"), ("--max_cost", "--max-cost"), ("--x", ""),
    ],
)  # fmt: skip
def test_only_a_misspelling_is_proposed(word: str, meant: str) -> None:
    assert closest(word, TOOLS) == meant
    assert nearest(word, TOOLS).startswith(f"did you mean {meant!r}" if meant else "known: ")


@given(st.text(min_size=6), st.data())
def test_a_word_with_one_letter_less_is_recognised(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    plain = word.replace("-", "_").lstrip("_").lower()
    if len(plain) > 3:
        assert closest(word[:at] + word[at + 1 :], [word]) == word
