"""Context breaks: requests that do not continue the one before, so that the service's cache starts again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from inarch.contract.event import Event

REASONS = {
    "window": "to fit the window", "early": "before the window was full", "refused": "refused as too long",
    "turns": "context_turns", "asked": "/compact",
}  # fmt: skip
"""Descriptions of the reasons of `context.dropped`."""
MOST = 10
"""Maximum lines for the latest breaks."""


_WHY = {
    "service": "another service was asked", "secret": "a secret became known", "tools": "new tools were added",
    "older": "an older version stored the session", "resumed": "the stored messages differ from those sent",
}  # fmt: skip
"""Descriptions of the reasons of `context.broken`, except `compaction`."""


@frozen
class Break:
    """Request that started a new context, counted from 1 among the answering requests, and the reason."""

    request: int
    why: str


@define(eq=False, repr=False)
class Breaks:
    """Collector of context breaks; events before a session's first request are not breaks.

    A `context.broken` is a break. In a session of a version that recorded none, each `context.dropped` is one.
    """

    found: list[Break] = field(init=False, factory=list)
    _requests: int = field(init=False, default=0)
    _is_told: bool = field(init=False, default=False)
    _broken: list[str] = field(init=False, factory=list)
    _dropped: list[str] = field(init=False, factory=list)

    def take(self, event: Event) -> None:
        """Process an event."""
        reason = str(event.data.get("reason") or "")
        if event.kind == "model.requested" and event.data.get("purpose", "turn") == "turn":
            self._requests += 1
            self.found += [Break(self._requests, why) for why in self._reasons()]
            self._broken, self._dropped = [], []
        elif event.kind == "context.fixed":
            self._is_told = True
        elif event.kind == "context.broken" and self._requests:
            self._broken.append(reason)
        elif event.kind == "context.dropped" and self._requests:
            self._dropped.append(REASONS.get(reason, reason))

    def _reasons(self) -> Iterator[str]:
        for reason in dict.fromkeys(self._broken if self._is_told else ["compaction"] if self._dropped else []):
            how = f" ({', '.join(dict.fromkeys(self._dropped))})" if self._dropped else ""
            yield f"compaction{how}" if reason == "compaction" else _WHY.get(reason, reason)

    def to_data(self) -> Any:
        """Return the breaks as plain JSON data."""
        found = [(one.request, one.why) for one in self.found]
        return [found, self._requests, self._is_told, self._broken, self._dropped]

    def go_on_from(self, data: Any) -> None:
        """Restore the data of `to_data`."""
        found, self._requests, self._is_told, self._broken, self._dropped = data
        self.found = [Break(request, why) for request, why in found]


def break_lines(found: Sequence[Break]) -> Iterator[str]:
    """Yield a line for each of the latest breaks, and the total if there are more."""
    if len(found) > MOST:
        yield f"the context began anew {len(found):,} times, lately:"
    for one in found[-MOST:]:
        yield f"context began anew before request {one.request:,}: {one.why}"
