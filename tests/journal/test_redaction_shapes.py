"""The shapes of a known value: every way in which programs print it holds one, and all are looked for at once."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inarch_secrets.shapes import Known, shapes_of

VALUE = st.text(st.one_of(st.sampled_from('aB9+/ "\\\n?%ä€😀'), st.characters(exclude_categories=["Cs"])), min_size=1)


def lowered(text: str) -> str:
    return re.sub("%..", lambda match: match[0].lower(), text)


WAYS: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "json-ascii": json.dumps,
    "url": lambda text: quote(text, safe=""),
    "url-path": quote,
    "url-plus": quote_plus,
    "url-lower": lambda text: lowered(quote(text, safe="")),
    "url-path-lower": lambda text: lowered(quote(text)),
    "url-plus-lower": lambda text: lowered(quote_plus(text)),
}


@given(VALUE, st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
@example("a/b ä?", "", "")
def test_however_a_text_with_the_value_is_written_a_shape_stands_in_it(value: str, before: str, after: str) -> None:
    shapes = dict(shapes_of(value))
    for tag, write in WAYS.items():
        shape = shapes.pop(tag)
        assert shape in write(before + value + after)
        assert write(value) in (shape, f'"{shape}"')  # no more and no less
    written = (before + value + after).encode()
    shift = len(before.encode()) % 3
    assert shapes[f"base64-{shift}"] in base64.b64encode(written).decode()
    assert shapes[f"base64-{shift}-url"] in base64.urlsafe_b64encode(written).decode()
    assert shapes.keys() == {f"base64-{number}{end}" for number in range(3) for end in ("", "-url")}
    for number in range(3):  # six bits each, of those that are the value's alone
        first, last = number * 8, (number + len(value.encode())) * 8
        whole = [bit for bit in range(0, last, 6) if first <= bit and bit + 6 <= last]
        assert len(shapes[f"base64-{number}"]) == len(shapes[f"base64-{number}-url"]) == len(whole)


@pytest.mark.parametrize("value", ["a\udcffb", "a\ud800b"])
def test_a_value_that_is_no_utf_8_has_shapes_too(value: str) -> None:
    shapes = dict(shapes_of(value))
    assert shapes["url"] == ("a%FFb" if value == "a\udcffb" else "a%ED%A0%80b")
    assert shapes["json-ascii"] in json.dumps(value)


PIECE = st.text("ab", min_size=1, max_size=5)


@settings(max_examples=4 * settings().max_examples)
@given(st.sets(PIECE, max_size=5), st.text("ab", max_size=8), st.integers(0, 8))
@example({"abbab"}, "abba", 0)
@example({"ab", "abba"}, "abba", 0)
def test_the_beginning_of_any_shape_at_the_end_of_a_text_is_found(shapes: set[str], text: str, start: int) -> None:
    known = Known(dict.fromkeys(sorted(shapes, key=len), ""))
    begun = [
        place
        for place in range(min(start, len(text)), len(text))
        if any(len(shape) > len(text) - place and shape.startswith(text[place:]) for shape in shapes)
    ]
    assert known.begun(text, min(start, len(text))) == (begun[0] if begun else len(text))
    occurring = known.occurring(text)
    assert sorted(occurring) == sorted(shape for shape in shapes if shape in text)


@settings(max_examples=4 * settings().max_examples)
@given(st.sets(PIECE, max_size=5), st.text("ab", max_size=20), st.integers(0, 20), st.integers(0, 20))
@example({"aba"}, "ababaabaaba", 0, 11)
@example({"aabaa"}, "aabaabaaabaa", 0, 12)
def test_all_that_a_shape_has_of_a_text_is_found_and_the_placeholder_where_it_stands_alone(
    shapes: set[str], text: str, start: int, stop: int
) -> None:
    known = Known({shape: f"‹secret:{shape}›" for shape in shapes})
    stop = min(stop, len(text))
    for shape in shapes:
        found = list(known.find([shape], text, start, stop))
        places = [at for at in range(start, stop - len(shape) + 1) if text.startswith(shape, at)]
        runs: list[tuple[int, int]] = []
        for at in places:
            overlaps = bool(runs) and at < runs[-1][1]
            runs[-1:] = [(runs[-1][0], at + len(shape))] if overlaps else [*runs[-1:], (at, at + len(shape))]
        assert [(one.start, one.stop) for one in found] == [(one.begin, one.end) for one in found] == runs
        for one in found:
            assert one.placeholder == (f"‹secret:{shape}›" if one.stop - one.start == len(shape) else "")


@given(VALUE, VALUE)
def test_an_encoded_line_is_known_to_hold_a_value_in_either_form(value: str, other: str) -> None:
    known = Known({value: "‹secret:one›"})
    for ensure_ascii in (False, True):
        assert known.in_line(json.dumps({"key": f"<{value}>"}, ensure_ascii=ensure_ascii)) is True
    assert not Known({}).in_line(other)
    line = json.dumps(other, ensure_ascii=False)
    encoded = {json.dumps(value, ensure_ascii=ascii)[1:-1] for ascii in (False, True)}
    assert known.in_line(line) is any(one in line for one in encoded)
