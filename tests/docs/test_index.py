"""Every page can be found from the index."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
DOCS = Path(__file__).parents[2] / "docs"
PARTS = ("tutorial", "how-to", "reference", "explanation", "development")
PAGES = sorted(str(page.relative_to(DOCS)) for part in PARTS for page in (DOCS / part).glob("*.md"))


def test_there_are_pages_of_every_part() -> None:
    assert {page.partition("/")[0] for page in PAGES} == set(PARTS)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_in_its_part_of_the_index(section: Callable[[str, str], str], name: str) -> None:
    part = name.partition("/")[0].capitalize()
    assert re.search(rf"^- \[[^]]+\]\({re.escape(name)}\)", section("index.md", part), re.M), f"{name} is in no list"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_begins_with_its_title(page: Callable[[str], str], name: str) -> None:
    assert page(name).startswith("# ")
    without_code = re.sub(r"^```.*?^```$", "", page(name), flags=re.M | re.S)
    assert len(re.findall(r"^# ", without_code, re.M)) == 1
