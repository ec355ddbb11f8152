"""Many calls of one reply as one line: how many of which tool, and how long they took together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inarch import width
from inarch.figures import duration, seconds_between
from inarch_terminal.rendering.calls import ShownCall
from inarch_terminal.rendering.ink import Ink

FOLDED_FROM = 8
"""So many plain calls in a row still have a line each."""


def draw_folded(calls: Sequence[ShownCall], opened_by: str, columns: int, ink: Ink) -> str:
    """Return the line that stands for calls; what opens it stays when the line is cut."""
    lead = f"{ink.sign('item')} {ink.sign('folded')} "
    times = [(data.get("started"), data.get("ended")) for call in calls if (data := call.result)]
    began = min((start for start, _ in times if start), default=None)
    took = seconds_between(began, max((end for _, end in times if end), default=None))
    said = [duration(took) if took is not None else "", opened_by]
    end = "".join(f"{ink.sign('dot')}{words}" for words in said if words)
    room = columns - width(lead)
    text = ink.plain(f"{len(calls)} calls: {tally(calls)}")
    end = ink.cut(end, max(0, room - 12))
    return ink.paint(lead, "dim") + ink.cut(text, max(1, room - width(end))) + ink.paint(end, "dim")


def tally(calls: Sequence[ShownCall]) -> str:
    """Return how many calls of which tool, the most frequent first."""
    counted = Counter(call.name for call in calls).most_common()
    return ", ".join(f"{name} {number}" if number > 1 else name for name, number in counted)
