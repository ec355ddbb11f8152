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


def test_every_page_is_in_one_of_at_most_eight_groups(page: Callable[[str], str]) -> None:
    start, *groups = re.split(r"^## .+\n", page("index.md"), flags=re.M)
    listed = [name for group in groups for name in re.findall(r"^- \[[^]]+\]\(([^)]+)\)", group, re.M)]
    assert sorted(listed) == PAGES
    assert len(groups) <= 8
    assert set(re.findall(r"\]\((\S+\.md)\)", start)) < set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_begins_with_its_title(page: Callable[[str], str], name: str) -> None:
    assert page(name).startswith("# ")
    without_code = re.sub(r"^```.*?^```$", "", page(name), flags=re.M | re.S)
    assert len(re.findall(r"^# ", without_code, re.M)) == 1
