"""The pictures of the page on the architecture are true: the floors hold, and each arrow is an import or a call.

Whoever moves a module redraws them in `docs/explanation/architecture.md`; a failure lists every line that isn't true.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from .imports import PLACES, ROOT, calls, defines, imported, modules, named, tree

pytestmark = pytest.mark.once
PAGE = "explanation/architecture.md"
BLOCK = re.compile(r"^```text\n(.*?)^```$", re.M | re.S)
LINE = re.compile(r"^(?P<before>[ │]*)(?:[├└](?:─|╌ (?P<method>\w+) ╌)► )?(?P<name>[a-z_][\w.]*)(?:  +\S.*)?$")
CORE, PLUGINS = PLACES
SectionOf = Callable[[str, str], str]


class Arrow(NamedTuple):
    """From a module to one that it imports or, where there is a method, of whose objects it calls the method."""

    caller: str
    callee: str
    method: str | None

    def fault(self) -> str | None:
        """Return what is wrong with it."""
        line = f"{self.caller} ─► {self.callee}"
        if self.method is not None:
            line = line.replace("─", f"╌ {self.method} ╌")
        missing = [name for name in (self.caller, self.callee) if tree(name) is None]
        if missing:
            return f"{line}: there is no module {missing[0]}"
        if self.method is None:
            return None if self.callee in imported(self.caller) else f"{line}: it doesn't import it"
        if self.callee in imported(self.caller):
            return f"{line}: it imports it, so the arrow is ─►"
        if not calls(self.caller, self.method):
            return f"{line}: it calls no .{self.method}"
        return None if defines(self.callee, self.method) else f"{line}: it has no method {self.method}"


def pictures(text: str) -> list[str]:
    return BLOCK.findall(text)


def full(name: str) -> str:
    return name if name.startswith("inarch_") else f"inarch.{name}"


def arrows(picture: str) -> Iterator[Arrow]:
    """Read a tree: a line's caller is the nearest line above that begins further left."""
    above: list[tuple[int, str]] = []
    for line in picture.splitlines():
        if not line.strip(" │"):
            continue
        match = LINE.match(line)
        assert match, f"not a line of such a picture: {line!r}"
        column = len(match["before"])
        while above and above[-1][0] >= column:
            above.pop()
        is_root = match.start("name") == 0
        assert is_root or above, f"an arrow from nowhere: {line!r}"
        if not is_root:
            yield Arrow(above[-1][1], full(match["name"]), match["method"])
        above.append((column if not is_root else -1, full(match["name"])))


def floors(picture: str) -> list[set[str]]:
    """Return the floors of the house, the highest first."""
    rows = re.findall(r"^│ ([^│]*) │", picture, re.M)
    return [set(re.findall(r"[a-z_]+", row)) for row in rows if row.strip()]


@pytest.fixture(scope="module")
def house(section: SectionOf) -> str:
    (picture,) = pictures(section(PAGE, "The floors"))
    return picture


def floor_of(module: str, house: list[set[str]]) -> int | None:
    """Return how high a module of the kernel or a library stands; None for what lies around the house."""
    name = module.removeprefix("inarch.").split(".")[0]
    return next((len(house) - place for place, names in enumerate(house) if name in names), None)


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


def test_a_floor_imports_floors_below_it_only(house: str) -> None:
    rows = floors(house)
    wrong = []
    for module in modules(CORE):
        here = floor_of(module, rows)
        for other in named(module) if here else ():
            there = floor_of(other, rows)
            if there and there > here:
                wrong.append(f"{module} ─► {other}")
    assert not wrong, "imports that don't go down:\n" + "\n".join(wrong)


def test_plugins_import_what_the_picture_says(house: str) -> None:
    beside = " ".join(re.findall(r"│ ([^│]*) │$", house, re.M))
    told = set(re.findall(r"`inarch\.(\w+)`|`(inarch_\w+)`", beside))
    ours = {other for module in modules(PLUGINS) for other in named(module) if tree(other)}
    ours -= set(modules(PLUGINS)) | {"inarch"}
    assert {other.removeprefix("inarch.").split(".")[0] for other in ours} == set(map("".join, told))


@pytest.mark.parametrize("title", ["The way of a prompt", "The way of a call"])
def test_every_arrow_is_an_import_or_a_call(section: SectionOf, title: str) -> None:
    drawn = [arrow for picture in pictures(section(PAGE, title)) for arrow in arrows(picture)]
    assert len(drawn) > 10
    faults = [fault for arrow in drawn if (fault := arrow.fault())]
    assert not faults, f"{PAGE}, {title!r}, has arrows that are not true:\n" + "\n".join(faults)


def test_the_table_of_floors_names_files_that_are_there(section: SectionOf, house: str) -> None:
    rows = re.findall(r"^\| `([\w/.]+)` \| .* \| (.+) \|$", section(PAGE, "The floors"), re.M)
    assert {re.sub(r"\.py$|/$", "", floor) for floor, _ in rows} == set().union(*floors(house))
    for floor, first in rows:
        for name in re.findall(r"`([\w.]+\.\w+)`", first):
            folder = CORE / floor if floor.startswith("inarch_") else CORE / "inarch" / floor
            place = folder / name if floor.endswith("/") else folder.with_name(name)
            assert place.is_file(), f"{floor}{name} is not there"
