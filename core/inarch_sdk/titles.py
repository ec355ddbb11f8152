"""What a session is called in lists: its first prompt, on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inarch.contract.events import Event

TITLE_LENGTH = 100


def title_of(events: Iterable[Event]) -> str:
    """Return the first prompt among the events, on one line; an empty text if there is none."""
    for event in events:
        turn = event.data.get("turn") if event.kind == "turn.started" else None
        content = turn.get("content", "") if isinstance(turn, Mapping) and turn.get("type") == "user" else ""
        if words := " ".join(str(content)[: 4 * TITLE_LENGTH].split()):
            return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1] + "…"
    return ""
