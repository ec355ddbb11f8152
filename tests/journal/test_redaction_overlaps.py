"""Known values that overlap: whatever is part of one is hidden, in texts and streams, and can be given back."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_samples import TOKENS

from inarch.journal.redactor import RedactedStream, Redactor
from inarch_lib.secrets.shapes import shapes_of

KEY = TOKENS["aws-key-id"]
PLACEHOLDER = re.compile("‹secret:[^‹›]+›")
VALUES = st.lists(st.text("a7-", min_size=8, max_size=12), min_size=1, max_size=4, unique=True)


def redactor(values: list[str]) -> Redactor:
    knows = Redactor()
    knows.learn_values((f"n{number}", value) for number, value in enumerate(values))
    return knows


def left(values: list[str], text: str) -> str:
    """Return what is part of no occurrence of any value, in whatever shape; the slow way."""
    secret = [False] * len(text)
    for shape in {shape for value in values for _, shape in shapes_of(value)}:
        for at in range(len(text)):
            if text.startswith(shape, at):
                secret[at : at + len(shape)] = [True] * len(shape)
    return "".join(letter for letter, is_secret in zip(text, secret, strict=True) if not is_secret)


def streamed(knows: Redactor, text: str, cuts: list[int]) -> str:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    stream = RedactedStream(knows)
    return "".join([*(stream.feed(text[first:last]) for first, last in pairwise(places)), stream.rest()])


@st.composite
def known_and_text(draw: st.DrawFn, more: st.SearchStrategy[str]) -> tuple[list[str], str]:
    """Draw values and a text of them and of parts of them, so that they overlap, with something more between."""
    values = draw(VALUES)
    part = st.builds(lambda value, first, last: value[first:last], st.sampled_from(values), *[st.integers(-12, 12)] * 2)
    return values, "".join(draw(st.lists(st.one_of(st.sampled_from(values), part, more), max_size=8)))


CUTS = st.lists(st.integers(0, 100), max_size=8)


@settings(max_examples=4 * settings().max_examples)
@given(known_and_text(st.text("a7-.", max_size=3)), CUTS)
@example((["aaaa7777", "7777----"], "aaaa7777----"), [])
@example((["a7aa7aa7"], "a7aa7aa7aa7"), [8])
@example((["aaaaaaa7", "7aaaaaaa", "aaaaaaaa"], "aaaaaaa7aaaaaaaaa7aaaaaaa"), [9])
def test_whatever_is_part_of_a_known_value_is_hidden_and_nothing_else(
    drawn: tuple[list[str], str], cuts: list[int]
) -> None:
    values, text = drawn
    knows = redactor(values)
    hidden = knows.text(text)
    assert PLACEHOLDER.sub("", hidden) == left(values, text)
    assert knows.text(hidden) == hidden == knows.text(text) == redactor(values).text(text)
    assert knows.reveal(hidden) == text
    assert streamed(knows, text, cuts) == streamed(knows, text, list(range(100))) == hidden


AROUND = ["password = ", "token: '", "'", "://u:", "@", "Bearer ", " ", "\n", "A", KEY, KEY[:9], TOKENS["sendgrid"]]
PLACEHOLDERS = ["‹secret:n0›", "‹secret:n1›", "‹secret:nobody›", "‹secret:joined:1›", "‹secret:aws-key-id:1›", "‹", "›"]


@settings(max_examples=4 * settings().max_examples)
@given(known_and_text(st.sampled_from([*AROUND, *PLACEHOLDERS])), CUTS)
@example((["aaaa7777"], f"‹secret:n0›{KEY} ‹secret:n0›"), list(range(40)))
def test_beside_other_secrets_and_placeholders_too(drawn: tuple[list[str], str], cuts: list[int]) -> None:
    values, text = drawn
    knows = redactor([*values, "n0›aaaa7", "›77777-a", "‹secret:n"])  # such as begin or end in a placeholder
    hidden = knows.text(text)
    assert knows.text(hidden) == hidden == knows.text(text)
    clear = PLACEHOLDER.split(hidden)
    assert not any(value in part for value in values for part in clear)
    if "‹secret:" not in text:
        assert knows.reveal(hidden) == text
    # Numbers go by the order in which texts were found: what is issued later is no placeholder when a stream begins.
    assert streamed(knows, text, cuts) == streamed(knows, text, list(range(100))) == knows.text(text)
