"""Tracer that removes a decision whose call turned out to be invalid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from inarch import Event, PluginContext

STRATEGY = "structured"


@define(eq=False, repr=False)
class Watcher:
    """Tracer of the calls of decisions; it ignores turns without a decision of the strategy."""

    context: PluginContext
    name: str = "dispatch"
    _forgetting: dict[str, Callable[[], None]] = field(init=False, factory=dict)
    _calls: dict[str, str] = field(init=False, factory=dict)

    def rests_on(self, turn_id: str, forget: Callable[[], None]) -> None:
        """Register how to remove a turn's decision if its call turns out to be invalid."""
        self._forgetting[turn_id] = forget

    def saw(self, event: Event) -> None:
        """Process an event."""
        turn_id = event.turn_id or ""
        if turn_id not in self._forgetting:
            return
        data = event.data
        if event.kind == "turn.ended":
            self._forgetting.pop(turn_id)
            self._calls.pop(turn_id, None)
        elif event.kind == "call.state" and data.get("call") and data["call"]["origin"] == "strategy":
            self._calls[turn_id] = data["call_id"]
        elif event.kind == "call.result" and data["call_id"] == self._calls.get(turn_id):
            error = data["result"]["error"]
            if error is not None and error["code"] == "validation":
                self._forgetting.pop(turn_id)()

    def summary(self, turn_id: str) -> None:
        """Return None: there is nothing to report."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
