from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_samples import LETTERS, PLACES, TOKENS, pem, varied

from inarch.journal.redactor import RedactedStream, Redactor

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


def test_ordinary_prose_is_shown_at_once_but_for_a_few_characters() -> None:
    stream = RedactedStream(Redactor.from_environ({"A_TOKEN": KNOWN}))
    said = ""
    for number, word in enumerate(
        ["The ", "quick ", "brown ", "fox ", "jumps ", "over ", "the ", "tokens ", "again. "]
    ):
        said += stream.feed(word)
        assert number < 7 or len(said) > 25
    assert said.strip() == "The quick brown fox jumps over the tokens again."
