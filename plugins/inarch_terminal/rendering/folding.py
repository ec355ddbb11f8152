"""Many calls of one reply as one line: how many of which tool, and how long they took together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from inarch import width
from inarch.figures import duration, seconds_between
from inarch_terminal.rendering.calls import ShownCall, below, tree_line
from inarch_terminal.rendering.ink import Ink

FOLDED_FROM = 8
"""So many plain calls in a row still have a line each."""


def draw_folded(calls: Sequence[ShownCall], opened_by: str, columns: int, ink: Ink) -> Iterator[str]:
    """Yield the line that stands for calls; where there is no room for what opens it, that stands below."""
    times = [(data.get("started"), data.get("ended")) for call in calls if (data := call.result)]
    began = min((start for start, _ in times if start), default=None)
    took = seconds_between(began, max((end for _, end in times if end), default=None))
    dot = ink.sign("dot")
    said = ink.plain(f"{len(calls)} calls: {tally(calls)}") + (f"{dot}{duration(took)}" if took is not None else "")
    whole = f"{said}{dot}{opened_by}" if opened_by else said
    fits = width(f"{ink.sign('item')} {ink.sign('folded')} {whole}") <= columns
    yield tree_line("folded", "dim", whole if fits else said, columns, ink)
    if opened_by and not fits:
        yield below(opened_by, columns, ink, "dim")


def tally(calls: Sequence[ShownCall]) -> str:
    """Return how many calls of which tool, the most frequent first."""
    counted = Counter(call.name for call in calls).most_common()
    return ", ".join(f"{name} {number}" if number > 1 else name for name, number in counted)
