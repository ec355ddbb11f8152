"""Indexes in memory that live as long as the tests of a file, which may ask one after another of them."""

from __future__ import annotations

from inarch_brief.search import Index

OPENED: list[Index] = []


def opened() -> Index:
    """Give an empty index, closed at the end of the file's tests."""
    OPENED.append(Index())
    return OPENED[-1]
