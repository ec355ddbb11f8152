"""The picture of the floors in `docs/explanation/architecture.md` is the one that the linter holds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
PAGE = "explanation/architecture.md"
BLOCK = re.compile(r"^```text\n(.*?)^```$", re.M | re.S)
ROOT = Path(__file__).parents[2]
CORE = ROOT / "core"
SectionOf = Callable[[str, str], str]


def floors(picture: str) -> list[set[str]]:
    """Return the floors of the house, the highest first."""
    rows = re.findall(r"^│ ([^│]*) │", picture, re.M)
    return [set(re.findall(r"[a-z_]+", row)) for row in rows if row.strip()]


@pytest.fixture(scope="module")
def house(section: SectionOf) -> str:
    (picture,) = BLOCK.findall(section(PAGE, "The floors"))
    assert isinstance(picture, str)
    return picture


def test_the_floors_are_those_that_the_linter_holds(house: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["name"] == "floors of the kernel"]
    assert floors(house) == [{name.removeprefix("inarch.") for name in layer.split(" : ")} for layer in layers]


def test_every_part_of_the_kernel_is_on_a_floor(house: str) -> None:
    parts = {
        path.stem
        for place in (CORE, CORE / "inarch")
        for path in place.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"inarch", "__init__", "__main__"} == set().union(*floors(house))
