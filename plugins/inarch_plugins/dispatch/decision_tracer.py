"""The tracer that has a decision forgotten whose call turned out not to be valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from inarch import Event, PluginContext

STRATEGY = "structured"


@define(eq=False, repr=False)
class Watcher:
    """Sees the calls of decisions; in turns in which the strategy decided nothing, it looks at nothing."""

    context: PluginContext
    name: str = "dispatch"
    _forgetting: dict[str, Callable[[], None]] = field(init=False, factory=dict)
    _calls: dict[str, str] = field(init=False, factory=dict)

    def rests_on(self, turn_id: str, forget: Callable[[], None]) -> None:
        """Hear how a turn's decision is forgotten, should its call turn out not to be valid."""
        self._forgetting[turn_id] = forget

    def saw(self, event: Event) -> None:
        """Take note of an event."""
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
        """Say nothing."""

    def close(self) -> None:
        """Nothing is held open."""
