"""Examples are typed where readers have files of their own: what writes over one says so before it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "changes" not in page.parts)]
BLOCK = re.compile(r"^```(?:console|bash|python)\n(.*?)^```$", re.M | re.S)
WRITES = re.compile(r"^\$ .*?[^0-9>&-]>\s?(?!/dev/null)([~\w.][^\s'\"]*)|^Path\(\"([^\"]+)\"\)\.write_text", re.M)
WORD = re.compile(r"writes?\s+over|overwrites?|new\s+folder")


def silent(text: str) -> list[str]:
    """Return the files that a page writes before it has said a word of it."""
    found: list[str] = []
    for block in BLOCK.finditer(text):
        said = WORD.search(BLOCK.sub("", text[: block.start()]))
        found += [match[1] or match[2] for match in WRITES.finditer(block[1]) if not said]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_writes_over_a_file_without_a_word(page: Path) -> None:
    assert silent(page.read_text("utf-8")) == []
