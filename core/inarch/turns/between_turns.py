"""What happened since a model was last asked: context sources tell it, after a break of the session, too."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.plugin_events import is_plugins

_OF_THE_WORKSPACE = frozenset({"command.ran", "changes.undone", "file.changed"})
_ASKED = frozenset({"decision.made", "model.requested"})


@define(eq=False, repr=False)
class BetweenTurns:
    """The events of no turn until a turn has got past its sources, so that what one was stopped before is not lost."""

    events: list[Event] = field(init=False, factory=list)

    def saw(self, event: Event) -> None:
        """Keep what a person ran or took back, which files that changed, and what plugins recorded."""
        if event.turn_id is not None:
            if event.kind in _ASKED:
                self.events.clear()
        elif event.kind in _OF_THE_WORKSPACE or is_plugins(event.kind):
            self.events.append(event)

    def to_data(self) -> Any:
        """Return them as plain JSON data, for `go_on_from`."""
        return [(one.seq, one.time, one.session_id, one.turn_id, one.kind, one.data) for one in self.events]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self.events = [Event(*one) for one in data]
