"""What is too long is cut where no word is cut, so that no half of a secret is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.secrets.secret_names import end_from, start_from

TEXTS = st.lists(st.text("ab \t\n", max_size=9), max_size=9).map("".join)


@given(TEXTS, st.integers(0, 40), st.integers(0, 20))
def test_the_end_and_the_start_are_each_other_mirrored(text: str, place: int, most: int) -> None:
    place = min(place, len(text))
    end = end_from(text, place, most)
    assert place <= end <= min(place + most, len(text))
    assert start_from(text[::-1], len(text) - place, most) == len(text) - end


@given(TEXTS, st.integers(0, 90))
def test_no_word_is_cut(text: str, place: int) -> None:
    end, start = end_from(text, min(place, len(text))), start_from(text, min(place, len(text)))
    for cut in (end, start):
        assert not (text[:cut][-1:].strip() and text[cut:][:1].strip()), (text, cut)
    assert "\n" not in text[place:end] and "\n" not in text[start:place]


def test_a_line_is_whole_where_it_ends_near_and_a_word_where_only_that_does() -> None:
    assert end_from("pass phrase of words\nmore", 3) == 20 and start_from("more\npass phrase", 12) == 5
    assert end_from("some words " + "and more " * 9, 6, 8) == 10
    assert end_from("x" * 99, 9, 20) == 9 and start_from("x" * 99, 90, 20) == 90
