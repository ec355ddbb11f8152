"""The ways from entry points to a function, read from the flow that `context_get` tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from inarch import ToolResult
from inarch_offline.writing import Page, Place, counted, cut

_ENTRY = re.compile(r"Entry: (?P<name>[^ ·]+)(?: \(module\))?(?P<rest>.*)")
_ARROW = re.compile(r"(?P<indent> +)→ (?P<name>[^ ·…+]+)(?P<rest>.*)")
_PLACE = re.compile(r" · (?P<path>[^·]+?):(?P<line>\d+)(?= |$)")
_MARK = "← YOUR TARGET"


class Way(NamedTuple):
    """A way in: what kind of entry it is, and the functions on it with the places where each is called."""

    kind: str
    names: tuple[str, ...]
    places: tuple[Place, ...]
    is_test: bool = False


def ways(result: ToolResult) -> list[Way]:
    """Read the ways that end at the target; those that are only hinted at are left out."""
    data: Any = result.data if result.success else None
    text = data.get("flow") if isinstance(data, dict) else None
    return [way for way in _read(text if isinstance(text, str) else "") if way.names]


def _read(text: str) -> Iterator[Way]:
    for block in text.partition("## Files in this path")[0].split("\n\n"):
        lines = block.splitlines()
        found = _ENTRY.match(lines[0]) if lines else None
        if found is None:
            continue
        steps = [(found["name"], found["rest"]), *_arrows(lines[1:])]
        # What an entry is declared by may be a place, too: its own stands last.
        places = [_place(f" · {found['rest'].rpartition(' · ')[2]}"), *(_place(rest) for _, rest in steps[1:])]
        if _MARK not in steps[-1][1] or None in places:
            continue
        kind = found["rest"].replace(_MARK, "").lstrip(" ·").partition(" · ")[0].partition(", ")[0]
        yield Way(
            kind,
            tuple(name.removesuffix("()") for name, _ in steps),
            tuple(p for p in places if p),
            kind in ("test", "fixture"),
        )


def _arrows(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the steps down to the target; what it calls stands below it."""
    for line in lines:
        found = _ARROW.fullmatch(line)
        if found is None:
            return
        yield found["name"], found["rest"]
        if _MARK in found["rest"]:
            return


def _place(rest: str) -> Place | None:
    found = _PLACE.search(rest)
    return Place(found["path"], int(found["line"])) if found else None


def say_ways(page: Page, result: ToolResult, most: int, shortest: int = 2) -> None:
    """Write how the program gets there, each call with its place; tests only where nothing else does."""
    found = [way for way in ways(result) if len(way.names) >= shortest]
    own = [way for way in found if not way.is_test] or found
    if not own:
        return
    page.head("Reached from" if len(own) <= most else f"Reached from ({most} of {counted(len(own), 'way')})")
    for way in own[:most]:
        page.item(f"{way.kind}: {cut(' → '.join(way.names), 220)}", *way.places[:6])


def say_tests(page: Page, result: ToolResult, most: int) -> None:
    """Write which tests get there."""
    found = [way for way in ways(result) if way.is_test]
    if found and len(found) < len(ways(result)):
        page.head("Tests that reach it")
        for way in found[:most]:
            page.item(cut(" → ".join(way.names), 160), way.places[0])
