"""Closes what the tests of a file have opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .opened import OPENED


@pytest.fixture(scope="module", autouse=True)
def closed_at_the_end() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()
