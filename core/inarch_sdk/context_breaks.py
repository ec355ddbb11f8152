"""Where a session's requests stopped being a continuation of those before: the service's cache begins anew there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from inarch.contract.event import Event

REASONS = {
    "window": "to fit the window", "early": "before the window was full", "refused": "refused as too long",
    "turns": "context_turns", "asked": "/compact",
}  # fmt: skip
"""What the reasons of `context.dropped` mean."""
MOST = 10
"""Lines of the latest ones."""


_WHY = {
    "service": "another service is asked", "secret": "a secret became known", "tools": "new tools were taken in",
    "older": "an older version kept the session", "resumed": "what was kept is not what was sent",
}  # fmt: skip
"""What the reasons of `context.broken` mean, but for `compaction`."""


@frozen
class Break:
    """The request before which the context began anew, counted from 1 among those for answers, and why."""

    request: int
    why: str


@define(eq=False, repr=False)
class Breaks:
    """Takes a session's events in; those before its first request break nothing.

    A `context.broken` is a break. In a session of a version that recorded none, each `context.dropped` is one.
    """

    found: list[Break] = field(init=False, factory=list)
    _requests: int = field(init=False, default=0)
    _is_told: bool = field(init=False, default=False)
    _broken: list[str] = field(init=False, factory=list)
    _dropped: list[str] = field(init=False, factory=list)

    def take(self, event: Event) -> None:
        """Take in an event."""
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
        """Return what was found as plain JSON data."""
        found = [(one.request, one.why) for one in self.found]
        return [found, self._requests, self._is_told, self._broken, self._dropped]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        found, self._requests, self._is_told, self._broken, self._dropped = data
        self.found = [Break(request, why) for request, why in found]


def break_lines(found: Sequence[Break]) -> Iterator[str]:
    """Yield a line for each of the latest, and how many there were if that is more."""
    if len(found) > MOST:
        yield f"the context began anew {len(found):,} times, lately:"
    for one in found[-MOST:]:
        yield f"context began anew before request {one.request:,}: {one.why}"
