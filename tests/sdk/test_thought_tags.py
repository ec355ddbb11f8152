"""Thoughts between tags are the same however the text is cut, and the text can be put together again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_sdk.accumulator import Accumulator

PIECES = st.sampled_from(
    ["<think>", "</think>", "<mm:think>", "</mm:think>", "</thinking>", "<thi", "\n", " ", "word", "`", "```", '"', "<",
     "|>"]
)  # fmt: skip


def parts_of(*texts: str) -> tuple[inarch.Part, ...]:
    tags, collected = inarch.ThoughtTags(), Accumulator("p")
    for text in texts:
        for delta in [inarch.TextDelta(text)] if tags.passes(text) else tags.take(text):
            collected.add(delta)
    for delta in tags.end():
        collected.add(delta)
    collected.add(inarch.CallDelta(0, "c", "t"))
    collected.add(inarch.Finish("calls"))
    return collected.reply().message.parts[:-1]


def as_it_came(parts: tuple[inarch.Part, ...]) -> str:
    words = []
    for part in parts:
        assert isinstance(part, (inarch.Text, inarch.Reasoning))
        data = part.provider_data["p"] if part.provider_data else {"before": "", "after": ""}
        words.append(f"{data['before']}{part.text}{data['after']}")
    return "".join(words)


@given(st.lists(PIECES, max_size=12), st.integers(1, 9))
def test_nothing_is_lost_however_the_text_is_cut(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    whole = parts_of(text)
    assert parts_of(*(text[at : at + size] for at in range(0, len(text), size))) == whole
    assert as_it_came(whole).rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("<think>\nplan\n</think>\n\nfour", "plan", "four"),
        ("plan\n</think>\n\nfour", "plan\n", "four"),
        ("<thinking>a</thinking><think>b</think>four", "ab", "four"),
        ("<think>say `</think>` first</think>four", "say `</think>` first", "four"),
        ("write `</think>` there", "", "write `</think>` there"),
        ("```\n</think>\n``` is it", "", "```\n</think>\n``` is it"),
        ("four, and <think> not </think>", "", "four, and <think> not </think>"),
        ("<think>never closed", "never closed", ""),
        ("four<|call|>", "", "four"),
        ("the mark <|end|> ends it", "", "the mark <|end|> ends it"),
    ],
)  # fmt: skip
def test_thoughts_are_told_from_text(text: str, thought: str, said: str) -> None:
    for size in (1, 4, 1_000):
        parts = parts_of(*(text[at : at + size] for at in range(0, len(text), size)))
        assert "".join(part.text for part in parts if isinstance(part, inarch.Reasoning)) == thought
        assert "".join(part.text for part in parts if isinstance(part, inarch.Text)) == said
