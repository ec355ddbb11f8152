"""The examples of the page on what belongs where stand where it says, as what it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import inarch
from inarch.contract.metadata import package_of
from inarch_plugins import BUILT_IN

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[2]
PLUGINS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"][
    "inarch.plugins"
]


def is_registered(modules: Iterable[str], place: str) -> bool:
    return place.removeprefix("plugins/").replace("/", ".") in map(package_of, modules)


HOLDS: dict[str, Callable[[str], bool]] = {
    "the kernel": lambda place: place.startswith("core/inarch/") and (ROOT / place).is_file(),
    "the public names": lambda place: place.removeprefix("inarch.") in inarch.__all__,
    "a built-in part": lambda place: is_registered(BUILT_IN.values(), place),
    "a plugin": lambda place: is_registered(PLUGINS.values(), place),
    "a distribution": lambda place: place.startswith("contrib/") and (ROOT / place / "pyproject.toml").is_file(),
}


def test_each_example_stands_where_the_page_says(section: Callable[[str, str], str]) -> None:
    table = section("development/where-it-belongs.md", "Examples")
    rows = re.findall(r"^\| [^|]+ \| ([a-z -]+) \| `([^`]+)` \| Question \d", table, re.M)
    assert {kind for kind, _ in rows} == set(HOLDS)
    wrong = [f"{place} is not {kind}" for kind, place in rows if not HOLDS[kind](place)]
    assert not wrong, "\n".join(wrong)
