from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.events import Note
from inarch.journal.fold import fold
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch_sdk.memory_store import MemoryStore

# The digit keeps a value from being a word of our own records, which is no secret.
LETTERS = st.characters(exclude_characters="‹›", exclude_categories=("Cs",))
VALUES = st.text(LETTERS, min_size=7, max_size=40).map(lambda text: f"7{text}7")
TEXTS = st.text(max_size=30)


def redactor(**environ: str) -> Redactor:
    return Redactor.from_environ(environ)


def test_short_values_are_left_alone() -> None:
    assert redactor(A_TOKEN="1234567").text("1234567") == "1234567"


@pytest.mark.parametrize("word", ["arguments", "assistant", "cancelled", "provider_id", "session.started", "A_TOKEN"])
def test_words_of_our_own_records_are_no_secrets(word: str) -> None:
    assert redactor(A_TOKEN=word).text(f"the {word} of it") == f"the {word} of it"


@pytest.mark.parametrize("value", ["not-utf-8-\udc80", "lone-\udd00-surrogate"])
def test_values_that_are_not_utf_8_are_hidden_too(value: str) -> None:
    assert redactor(A_TOKEN=value).text(f"it is {value}") == "it is ‹secret:A_TOKEN›"


def test_of_two_secrets_the_longer_one_wins() -> None:
    both = redactor(A_TOKEN="abcdefgh1", B_TOKEN="abcdefgh123")
    assert both.text("abcdefgh123 abcdefgh1") == "‹secret:B_TOKEN› ‹secret:A_TOKEN›"


def test_nothing_is_done_without_secrets() -> None:
    data = {"a": ["b"]}
    assert Redactor().redact(data) is data
    assert Redactor().reveal(data) is data
    assert not Redactor().touches("anything")


def deeply(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [text for key, item in data.items() for text in (key, *deeply(item))]
    return [text for item in data for text in deeply(item)] if isinstance(data, list) else [data]


@given(value=VALUES, before=TEXTS, after=TEXTS)
def test_a_secret_is_never_left_in_any_shape(value: str, before: str, after: str) -> None:
    knows = redactor(A_TOKEN=value)
    core = value.strip()
    shapes = {
        core,
        json.dumps(core)[1:-1],
        json.dumps(core, ensure_ascii=False)[1:-1],
        quote(core),
        quote(core, safe=""),
        quote_plus(core),
    }
    for shape in shapes:
        data = {"text": f"{before}{shape}{after}", f"{before}{shape}": [shape]}
        for text in deeply(knows.redact(data)):
            assert shape not in text


@given(value=VALUES, before=st.binary(max_size=10), after=st.binary(max_size=10))
def test_a_secret_inside_base64_is_never_left(value: str, before: bytes, after: bytes) -> None:
    knows = redactor(A_TOKEN=value)
    raw = value.strip().encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        hidden = knows.text(encode(before + raw + after).decode())
        assert "‹secret:A_TOKEN:base64" in hidden
        letters = hidden.replace("-url", "").split("‹")[0] + hidden.split("›")[-1]
        for cut in range(len(letters)):
            padded = letters[cut:].rstrip("=")
            decoded = base64.urlsafe_b64decode((padded + "A" * (-len(padded) % 4)).replace("+", "-").replace("/", "_"))
            assert raw not in decoded


@given(value=VALUES, text=TEXTS, cut=st.integers(0, 30))
def test_revealing_gives_back_exactly_what_was_there(value: str, text: str, cut: int) -> None:
    knows = redactor(A_TOKEN=value)
    core = value.strip()
    for shape in (
        core,
        json.dumps(core),
        quote(core, safe=""),
        base64.b64encode(core.encode()).decode(),
    ):
        data = {"a": [text[:cut] + shape + text[cut:]]}
        assert knows.reveal(knows.redact(data)) == data


@given(value=VALUES, text=TEXTS)
def test_the_quick_look_at_an_encoded_line_misses_nothing(value: str, text: str) -> None:
    knows = redactor(A_TOKEN=value)
    core = value.strip()
    for said in (core, json.dumps({"key": core}), text + core):
        for ascii in (True, False):
            assert knows.touches(json.dumps({"data": {"text": said}}, ensure_ascii=ascii))


@given(value=VALUES, text=TEXTS)
def test_no_recorded_line_holds_a_secret(value: str, text: str) -> None:
    store = MemoryStore()
    journal = Journal(store, "s", redactor=redactor(A_TOKEN=value))
    core = value.strip()
    journal.record(Note(f"{text}{core}", source=json.dumps([core])))
    journal.flush()
    (event,) = store.load("s")
    for said in event.data.values():
        assert core not in said
    fold([event])
