"""A similar name is proposed, a merely related one is not."""

from __future__ import annotations

import pytest

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
