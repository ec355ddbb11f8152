"""Where a session's requests stopped being a continuation of those before: the service's cache begins anew there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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


def _compacted(data: Mapping[str, Any]) -> str:
    reason = str(data.get("reason") or "")
    return f"compaction ({REASONS.get(reason, reason)})"


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"context.dropped": _compacted}
"""The kinds of events after which the context begins anew, and why by their data."""


@frozen
class Break:
    """The request before which the context began anew, counted from 1 among those for answers, and why."""

    request: int
    why: str


@define(eq=False, repr=False)
class Breaks:
    """Takes a session's events in; those before its first request break nothing."""

    found: list[Break] = field(init=False, factory=list)
    _requests: int = field(init=False, default=0)
    _waiting: list[str] = field(init=False, factory=list)

    def take(self, event: Event) -> None:
        """Take in an event."""
        if event.kind == "model.requested":
            if event.data.get("purpose", "turn") == "turn":
                self._requests += 1
                self.found += [Break(self._requests, why) for why in dict.fromkeys(self._waiting)]
                self._waiting.clear()
        elif event.kind in _WORDS and self._requests:
            self._waiting.append(_WORDS[event.kind](event.data))

    def to_data(self) -> Any:
        """Return what was found as plain JSON data."""
        return [[(one.request, one.why) for one in self.found], self._requests, self._waiting]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        found, self._requests, self._waiting = data
        self.found = [Break(request, why) for request, why in found]


def break_lines(found: Sequence[Break]) -> Iterator[str]:
    """Yield a line for each of the latest, and how many there were if that is more."""
    if len(found) > MOST:
        yield f"the context began anew {len(found):,} times, lately:"
    for one in found[-MOST:]:
        yield f"context began anew before request {one.request:,}: {one.why}"
