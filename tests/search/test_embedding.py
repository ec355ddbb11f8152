"""Vectors of words: what means the same is near, and a sum in one integer is the sum of its parts."""

from __future__ import annotations

import pytest

from inarch_brief.search.tokens import terms
from inarch_brief.search.word_vectors import embedded, similarity


def of_text(text: str) -> bytes:
    return embedded((term, 1) for term in terms(text))


@pytest.mark.parametrize(
    ("said", "near", "far"),
    [
        ("pause between two tries", "sleep before the next attempt", "parse a date from text"),
        ("log in with a password", "authenticate the user by credentials", "draw a line of the table"),
        ("take a picture", "save the image of a photo", "open a socket to the server"),
        ("unpack the archive", "extract files of a zip", "round a number"),
    ],
)
def test_what_means_the_same_is_nearer_than_what_does_not(said: str, near: str, far: str) -> None:
    assert similarity(of_text(said), of_text(near)) > similarity(of_text(said), of_text(far)) + 0.1


def test_what_no_vector_is_known_of_is_near_to_nothing() -> None:
    assert embedded([("qqqzzzxx", 1)]) == b""
    assert similarity(b"", of_text("close the connection")) == 0.0
