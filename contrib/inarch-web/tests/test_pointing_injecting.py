"""The picker's tag in a page that streams, plain or compressed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_web.pointing.proxy import LONGEST_HEAD, Injection, can_be_changed

TAG = b"<script src=x></script>"
PARTS = st.sampled_from(
    [
        b"<!doctype html>",
        b"<!DOCTYPE html PUBLIC '-//W3C//DTD'>",
        b"<html>",
        b"<!-- a > b -->",
        b" \n",
        b"<?xml version='1'?>",
        b"\xef\xbb\xbf",
        b"<!",
        b"<",
        b"text",
        b"<!--",
        b"<head><meta charset=utf-8>",
        b"\xff\xfe<",
        b"",
    ]
)


def injected(pieces: list[bytes]) -> bytes:
    injection = Injection(TAG)
    return b"".join([*(injection.add(piece) for piece in pieces), injection.end()])


@pytest.mark.parametrize(
    ("page", "before"),
    [
        (b"<!doctype html><html><head>", b"<!doctype html>"),
        (b"\xef\xbb\xbf<!-- hello --> <!DOCTYPE html>\n<p>", b"\xef\xbb\xbf<!-- hello --> <!DOCTYPE html>"),
        (b"<html><p>", b""),
        (b"just text", b""),
        (b"", b""),
        (b"<!doctype html>", b"<!doctype html>"),
    ],
)
def test_the_tag_is_before_everything_but_the_document_type(page: bytes, before: bytes) -> None:
    assert injected([page]) == before + TAG + page[len(before) :]


@given(st.lists(PARTS, max_size=8).map(b"".join), st.lists(st.integers(1, 7), min_size=1, max_size=40))
def test_how_a_page_is_cut_into_pieces_makes_no_difference(page: bytes, sizes: list[int]) -> None:
    pieces, place = [], 0
    for size in sizes:
        pieces.append(page[place : place + size])
        place += size
    made = injected([*pieces, page[place:]])
    assert made == injected([page])
    assert made.replace(TAG, b"", 1) == page, "nothing else is changed"
    assert made.count(TAG) == (0 if page.startswith((b"\xff\xfe", b"\xfe\xff")) else 1)


def test_a_page_without_an_end_of_its_beginning_is_not_held_back_for_ever() -> None:
    injection = Injection(TAG)
    sent = b"".join(injection.add(b"<!-- " if not number else b"x" * 100) for number in range(LONGEST_HEAD // 100 + 2))
    assert TAG in sent and len(sent) > LONGEST_HEAD


@pytest.mark.parametrize(
    ("kind", "encoding", "can"),
    [
        ("text/html", "", True),
        ("text/html; charset=utf-8", "gzip", True),
        ("application/xhtml+xml", "identity", True),
        ("text/html; charset=UTF-16LE", "", False),
        ("text/html", "br", False),
        ("text/html", "gzip, br", False),
        ("text/plain", "", False),
        ("application/json", "", False),
        ("", "", False),
    ],
)
def test_only_html_that_can_be_read_is_changed(kind: str, encoding: str, can: bool) -> None:
    assert can_be_changed(kind, encoding) is can
