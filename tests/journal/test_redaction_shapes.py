"""The shapes of a known value: every way in which programs print it holds one, and all are looked for at once."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch_lib.secrets.shapes import shapes_of

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
def test_every_encoding_of_a_text_contains_a_shape_of_the_value(value: str, before: str, after: str) -> None:
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
