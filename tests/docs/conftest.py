"""The pages, as the tests read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="session")
def page() -> Callable[[str], str]:
    """Return the text of a page, its examples included."""
    return lambda name: (DOCS / name).read_text("utf-8")


@pytest.fixture(scope="session")
def section(page: Callable[[str], str]) -> Callable[[str, str], str]:
    """Return what stands below a heading of a page, "" where there is no such heading."""

    def find(name: str, title: str) -> str:
        found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", page(name), re.M | re.S)
        return found[2] if found else ""

    return find


@pytest.fixture(scope="session")
def first_cells() -> Callable[[str], list[str]]:
    """Return what stands in back-ticks at the beginning of each row of the tables in a text."""
    return lambda text: re.findall(r"^\| `([^`]+)` \|", text, re.M)
