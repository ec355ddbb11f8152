"""The pictures of the documentation are what the program shows now."""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


@pytest.fixture
def make() -> ModuleType:
    """The script that makes them."""
    spec = importlib.util.spec_from_file_location("make_pictures", PICTURES / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(picture: str) -> list[str]:
    """Return the lines of a terminal's picture, without times and what depends on the machine."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        rows.setdefault(float(y), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    lines = ["".join(text for _, text in sorted(rows[y])) for y in sorted(rows)]
    kept = [line for line in lines if not re.search(r"confined at level|context ", line)]
    return [re.sub(r"[\d.,]+ ?m?s\b", "TIME", line) for line in kept if line.strip()]


@pytest.mark.needs("tmux")
def test_the_terminals_picture_is_what_a_terminal_shows(make: ModuleType, tmp_path: Path) -> None:
    committed = (PICTURES / "terminal.svg").read_text("utf-8")
    assert len(lines_of(committed)) > 25 and "http" not in re.sub(r'xmlns="[^"]*"', "", committed)
    assert lines_of(make.draw_terminal(make.take_terminal(tmp_path))) == lines_of(committed), (
        "python docs/pictures/make.py makes it anew"
    )


def test_the_drawn_path_is_that_of_the_example(make: ModuleType, tmp_path: Path) -> None:
    assert make.draw_path(tmp_path) == (PICTURES / "path.svg").read_text("utf-8"), "python docs/pictures/make.py path"


def test_each_picture_is_shown_and_described() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        (path.parent / target).resolve(): words
        for path in pages
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", path.read_text("utf-8"))
    }
    for picture in (PICTURES / "terminal.svg", PICTURES / "session.png", PICTURES / "path.svg"):
        assert len(shown[picture].split()) > 8
