"""The model hears in its next turn what a person undid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.records import Contribution

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.contract.ports import Situation

NAME = "undo"
MOST_NAMED = 10


@define(eq=False, repr=False)
class Undone:
    """A context source: one line about what was undone or done again since the last prompt.

    It hears of that, and of having told it, through the events, so that a kept session goes on where it was.
    """

    name: str = field(init=False, default=NAME)
    _ids: set[str] = field(init=False, factory=set)
    _paths: dict[str, None] = field(init=False, factory=dict)

    def saw(self, event: Event) -> None:
        """Take note of an event."""
        if event.kind == "changes.undone":
            self._ids.add(event.data["id"])
        elif not self._ids:
            return
        elif event.kind == "file.changed" and event.data["call_id"] in self._ids:
            if event.data["before"] is not None or event.data["after"] is not None:  # no folder
                self._paths[event.data["path"]] = None
        elif event.kind == "context.added" and event.data["source"] == NAME:
            self._ids.clear()
            self._paths.clear()

    def to_data(self) -> Any:
        """Return what is still to be told, as plain JSON data, for `go_on_from`."""
        return [sorted(self._ids), [*self._paths]]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self._ids, self._paths = set(data[0]), dict.fromkeys(data[1])

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return the line, if there is something to tell."""
        if not self._paths:
            return None
        paths, more = [*self._paths][:MOST_NAMED], len(self._paths) - MOST_NAMED
        listed = ", ".join(paths) + (f" and {more} more files" if more > 0 else "")
        return Contribution(
            f"(The user has undone or redone earlier changes of yours since. Not as you left them: {listed}."
            " Read again what you need of them.)"
        )
