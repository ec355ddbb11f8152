"""Keys that lie in the environment: the planner names the first of them, and what would have its model asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inarch_offline.writing import KIND, NOTICE


def notice_for(environ: Mapping[str, str]) -> str:
    """Return the first line of every answer, which names a model whose key is set, and else how to have one."""
    keys = {name for name, value in environ.items() if name.endswith("_API_KEY") and value}
    for _, variable, model in _offers() if keys else ():  # as a rule there is none, and metadata need not be read
        if variable in keys:
            return f"{KIND} {variable} is set: `inarch config model {model}` uses it."
    return NOTICE


@cache
def _offers() -> list[tuple[int, str, str]]:
    """Return rank, variable and model of what Inarch's own providers offer, in order; none of them is imported."""
    from importlib.metadata import distribution

    offers = []
    for entry in distribution("inarch").entry_points.select(group="inarch.ready"):
        variable, _, rank = entry.value.partition(":rank_")
        if "/" in entry.name:
            offers.append((int(rank), variable, entry.name))
    return sorted(offers)
