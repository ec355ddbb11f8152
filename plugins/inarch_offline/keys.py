"""Keys that lie in the environment: the planner names the first of them, and what would have its model asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import distribution

from inarch_offline.writing import KIND, NOTICE


def notice_for(environ: Mapping[str, str]) -> str:
    """Return the first line of every answer, which names a model whose key is set, and else how to have one."""
    for _, variable, model in _offers():
        if environ.get(variable):
            return f"{KIND} {variable} is set: `inarch config model {model}` uses it."
    return NOTICE


@cache
def _offers() -> list[tuple[int, str, str]]:
    """Return rank, variable and model of what Inarch's own providers offer, in order; none of them is imported."""
    offers = []
    for entry in distribution("inarch").entry_points.select(group="inarch.ready"):
        variable, _, rank = entry.value.partition(":rank_")
        if "/" in entry.name:
            offers.append((int(rank), variable, entry.name))
    return sorted(offers)
