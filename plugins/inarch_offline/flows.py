"""The ways from entry points to a function, read from the flow that `context_get` gives as text."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch_offline.page import Page, Place, columns, counted, cut, joined

_STEP = re.compile(r"(?:Entry: | +→ )(?P<name>[^ ·…+(\[]+)(?P<rest>.*)")
_PLACE = re.compile(r" · (?P<path>[^·]+?):(?P<line>\d+)(?= |$)")
_MARK = "← YOUR TARGET"
_FILES = "## Files in this path"
_MOST_LINES = 9


class Way(NamedTuple):
    """A way in: what kind of entry it is, and the functions on it with the places where each is called."""

    kind: str
    names: tuple[str, ...]
    places: tuple[Place, ...]

    @property
    def is_test(self) -> bool:
        """Whether it begins in a test."""
        return self.kind in ("test", "fixture")


def ways(flow: str) -> list[Way]:
    """Read the ways that end at the target; those that are only hinted at are left out."""
    return [way for block in _blocks(flow) if (way := _way(block)) is not None]


def _blocks(flow: str) -> list[list[str]]:
    """Return the lines of each way from its entry to the target."""
    found = []
    for block in flow.partition(_FILES)[0].split("\n\n"):
        lines = block.splitlines()
        end = next((index for index, line in enumerate(lines) if _MARK in line), None)
        if block.startswith("Entry: ") and end is not None:
            found.append(lines[: end + 1])
    return found


def _way(lines: list[str]) -> Way | None:
    steps = [_STEP.match(line) for line in lines]
    names, places = [], []
    for step in steps:
        found = list(_PLACE.finditer(step["rest"])) if step else []
        if step is None or not found:
            return None
        place = found[-1 if step is steps[0] else 0]  # what declares an entry may be a place, too
        names.append(step["name"])
        places.append(Place(place["path"], int(place["line"])))
    kind = re.sub(r"^(?:\(\)| \(module\))? · ", "", steps[0]["rest"] if steps[0] else "")
    return Way(re.split(r" · |, ", kind)[0], tuple(names), tuple(places))


def say_ways(page: Page, flow: str, most: int) -> None:
    """Write how the program gets there, each call with its place; tests only if nothing else does."""
    found = [way for way in ways(flow) if len(way.names) > 1]
    own = [way for way in found if not way.is_test] or found
    if own:
        page.head("Reached from" if len(own) <= most else f"Reached from ({most} of {counted(len(own), 'way')})")
    for way in own[:most]:
        page.item(f"{way.kind}: {cut(' → '.join(way.names), 220)}", *way.places[:6])


def say_tests(page: Page, flow: str, most: int) -> None:
    """Write which tests get there."""
    found = ways(flow)
    tests = [way for way in found if way.is_test]
    if tests and len(tests) < len(found):
        page.head("Tests that reach it")
        for way in tests[:most]:
            page.item(cut(" → ".join(way.names), 160), way.places[0])


def say_path(page: Page, flow: str, most: int = _MOST_LINES) -> bool:
    """Write the first way with its code, and the files in it; False if no way is known."""
    blocks = _blocks(flow)
    if not blocks:
        return False
    lines = blocks[0] if len(blocks[0]) <= most else [*blocks[0][:2], "  …", *blocks[0][3 - most :]]
    page.gap()
    page.lines += [f"    {line.rstrip()}"[: columns()] for line in lines]
    page.gap()
    listed = re.findall(r"^- (\S+)", flow.partition(_FILES)[2].strip().partition("\n\n")[0], re.M)
    if listed:
        page.plain(f"Files in this path: {joined(listed, 8)}")
    return True
