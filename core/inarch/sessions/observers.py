"""Those who look on: tracers and the front end. One that fails is dropped and told; it never breaks a turn."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define

from inarch.contract.errors import PluginError
from inarch.contract.events import ErrorHappened, Event
from inarch.contract.guarding import Door, call_guarded
from inarch.journal.journal import Journal


@define(eq=False, repr=False)
class Observer:
    """Passes events on to one onlooker until it fails for the first time."""

    name: str
    plugin: str
    door: Door
    look: Callable[[Event], None]
    journal: Journal
    sees_deltas: bool = False
    failed: bool = False

    def __call__(self, event: Event) -> None:
        """Show the event; on a failure say so once and stop."""
        if self.failed or (event.kind == "model.delta" and not self.sees_deltas):
            return
        try:
            call_guarded(self.plugin, self.door, (BrokenPipeError,), self.look, event)
        except PluginError as error:
            self.failed = True
            self.journal.record(
                ErrorHappened(
                    f"{self.name} sees no more events: {error.message}", error.remedy, self.plugin, self.door
                ),
                event.turn_id,
            )
