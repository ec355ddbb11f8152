from __future__ import annotations

from itertools import pairwise

import pytest
from attrs import define
from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_samples import LETTERS, PLACES, TOKENS, pem, varied

from inarch.contract.events import Event, ModelDelta, ModelReplied
from inarch.contract.records import Message, Text, Usage
from inarch.journal.journal import Journal
from inarch.journal.redaction.redactor import Redactor
from inarch.journal.redaction.streams import RedactedStream
from inarch_sdk.memory_store import MemoryStore

KNOWN = "7hush-hush/of+mine"
SECRETS = [KNOWN, *TOKENS.values(), *(frame.format(secret) for frame, secret in PLACES.values()), pem()]
PIECES = st.one_of(
    st.sampled_from(SECRETS),
    st.sampled_from(
        ["A", "AK", "sk-", "password = ", "token", "://", "-----BEGIN ", "\n", " ", "›", "7hush", "eyJ", "=", '"']
    ),
    st.text(max_size=8),
)


def streamed(redactor: Redactor, chunks: list[str]) -> str:
    stream = RedactedStream(redactor)
    return "".join([*map(stream.feed, chunks), stream.rest()])


def test_every_cut_of_every_secret_gives_what_the_whole_gives() -> None:
    for secret in SECRETS:
        redactor = Redactor.from_environ({"A_TOKEN": KNOWN})
        text = f"it is {secret} and more"
        whole = redactor.text(text)
        assert whole != text
        for cut in range(len(text)):
            assert streamed(redactor, [text[:cut], text[cut:]]) == whole
        assert streamed(redactor, list(text)) == whole


@settings(max_examples=3 * settings().max_examples)
@given(st.lists(PIECES, max_size=8), st.lists(st.integers(0, 400), max_size=12))
@example(["7hush-hush/of+min", KNOWN], [17])
@example(["²", "AKIAPYCDYBK377OXTZQ6"], [3])
def test_any_chunks_give_what_the_whole_gives(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    chunks = [text[first:last] for first, last in pairwise(places)]
    redactor = Redactor.from_environ({"A_TOKEN": KNOWN})
    whole = redactor.text(text)
    assert streamed(redactor, chunks) == whole
    assert redactor.text(whole) == whole
    assert redactor.reveal(whole) == text


LONG = [
    ("Authorization: Bearer {}", "-._~+/"),
    ("Authorization: {}", "-._~+/"),
    ("password = '{}'", "-_.~"),
    ("x://u:{}@host", "-_"),
    ("{}", ""),
]


@given(
    st.lists(st.tuples(st.sampled_from(LONG), st.integers(3900, 9000)), min_size=1, max_size=2),
    st.lists(st.integers(0, 18_000), max_size=12),
)
@example([(LONG[0], 6000), (LONG[4], 5000)], list(range(0, 12_000, 7)))
def test_any_chunks_of_long_secrets_give_what_the_whole_gives(
    kinds: list[tuple[tuple[str, str], int]], cuts: list[int]
) -> None:
    secrets = [
        (frame, ("ghp_" if frame == "{}" else "") + varied(length, LETTERS + letters) + "Aa1")
        for (frame, letters), length in kinds
    ]
    text = " ".join(frame.format(secret) for frame, secret in secrets) + " and more"
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    redactor = Redactor.from_environ({"A_TOKEN": KNOWN})
    whole = redactor.text(text)
    assert not any(secret[:20] in whole or secret[-20:] in whole for _, secret in secrets)
    assert streamed(redactor, [text[first:last] for first, last in pairwise(places)]) == whole
    assert redactor.text(whole) == whole
    assert redactor.reveal(whole) == text


@define(eq=False)
class Counting(Redactor):
    """Counts the characters that are looked at."""

    seen: int = 0

    def shown(self, text: str, start: int) -> tuple[str, int]:
        self.seen += len(text)
        return super().shown(text, start)


@pytest.mark.parametrize("begin", ["password=", "-----BEGIN PRIVATE KEY-----\n"])
def test_the_pieces_of_a_long_secret_are_not_looked_at_again_and_again(begin: str) -> None:
    redactor = Counting()
    whole = begin + varied(64, LETTERS) + varied(40_000, LETTERS)
    assert streamed(redactor, [whole[at : at + 5] for at in range(0, len(whole), 5)]).startswith(f"{begin[:8]}")
    short, redactor.seen = redactor.seen, 0
    whole += varied(40_000, LETTERS)
    streamed(redactor, [whole[at : at + 5] for at in range(0, len(whole), 5)])
    assert redactor.seen < 2.5 * short


def test_what_follows_a_long_secret_is_shown_when_an_eighth_more_has_come() -> None:
    stream = RedactedStream(Redactor())
    assert stream.feed(f"it is password={varied(2000, LETTERS)}") == "it is "
    said = [stream.feed(" and more") for _ in range(2000 // 8 // 9 + 4)]
    assert "".join(said).startswith("password=‹secret:assigned:1› and more and more")


def test_what_a_secret_behind_it_makes_one_waits_for_that() -> None:
    key = TOKENS["aws-key-id"]
    within = f"password = '{key}-then-some-more-q7Rt2Xz9Lm4Kp8Vw'"
    for text in (f"{key}{KNOWN}", f"{KNOWN}{key}", f"{key}{key}", f"{KNOWN}{KNOWN}", within):
        whole = Redactor.from_environ({"A_TOKEN": KNOWN}).text(text)
        for cut in range(len(text)):
            redactor = Redactor.from_environ({"A_TOKEN": KNOWN})
            assert streamed(redactor, [text[:cut], text[cut:]]) == whole
            assert streamed(redactor, list(text)) == whole


def test_a_known_value_is_shown_as_soon_as_it_is_whole() -> None:
    value = "7hush-hush-of-mine?"  # no shape of it begins as it ends
    stream = RedactedStream(Redactor.from_environ({"A_TOKEN": value}))
    assert [stream.feed(value[:-1]), stream.feed(value[-1])] == ["", "‹secret:A_TOKEN›"]


def test_ordinary_prose_is_shown_at_once_but_for_a_few_characters() -> None:
    stream = RedactedStream(Redactor.from_environ({"A_TOKEN": KNOWN}))
    said = ""
    for number, word in enumerate(
        ["The ", "quick ", "brown ", "fox ", "jumps ", "over ", "the ", "tokens ", "again. "]
    ):
        said += stream.feed(word)
        assert number < 7 or len(said) > 25
    assert said.strip() == "The quick brown fox jumps over the tokens again."


def test_what_could_become_a_secret_is_not_held_for_ever() -> None:
    stream = RedactedStream(Redactor())
    said = "".join(stream.feed("-----BEGIN PRIVATE KEY-----\n" if not n else "word and word\n") for n in range(3000))
    assert len(said) > 10_000


@pytest.mark.parametrize("secret", [KNOWN, TOKENS["github classic"], TOKENS["jwt"]])
def test_no_split_reply_shows_a_secret(secret: str) -> None:
    shown: list[Event] = []
    journal = Journal(MemoryStore(), "s", redactor=Redactor.from_environ({"A_TOKEN": KNOWN}), listeners=[shown.append])
    for letter in f"it is {secret}":
        journal.record(ModelDelta(text=letter), "t")
        journal.record(ModelDelta(reasoning=letter), "t")
    journal.record(ModelReplied("m", Message("assistant", (Text(f"it is {secret}"),)), Usage(), "stop"), "t")
    for name in ("text", "reasoning"):
        said = "".join(event.data[name] for event in shown if event.kind == "model.delta")
        assert said.startswith("it is ‹secret:")
        assert said.endswith("›")
    assert [event.kind for event in shown][-1] == "model.replied"
    assert secret not in shown[-1].line
