"""The ways from entry points to a function, as `context_get` gives them."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline.page import Page, counted, cut, glued, joined
from inarch_offline.results import Context, Way


def say_ways(page: Page, found: Sequence[Way], most: int) -> None:
    """Write how the program gets there, each call with its place; tests only if nothing else does."""
    longer = [way for way in found if len(way.names) > 1]
    own = [way for way in longer if not way.is_test] or longer
    if own:
        page.head("Reached from" if len(own) <= most else f"Reached from ({most} of {counted(len(own), 'way')})")
    for way in own[:most]:
        page.item(f"{way.entry}: {cut(' → '.join(way.names), 220)}", *way.places[:6])


def say_tests(page: Page, found: Sequence[Way], most: int) -> None:
    """Write which tests get there."""
    tests = [way for way in found if way.is_test]
    if tests and len(tests) < len(found):
        page.head("Tests that reach it")
    for way in tests[:most] if len(tests) < len(found) else ():
        page.item(cut(" → ".join(way.names), 160), way.places[0])


def say_path(page: Page, found: Context, most: int) -> None:
    """Write the first way call by call, the middle of a long one left out, and the files in it."""
    way, target = found.ways[0], found.target
    steps = [f"`{name}` ({glued(place)})" for name, place in zip(way.names, way.places, strict=True)]
    steps = [*steps[:2], "…", *steps[3 - most :]] if len(steps) > most else steps
    page.inner(f"Entry: {way.entry}")
    for step in steps:
        page.item(step, depth=2)
    places = [*way.places, target.place] if target else list(way.places)
    page.inner(f"Files in this path: {joined(dict.fromkeys(place.path for place in places), 8)}")
