"""What a person ran with `!` since the last turn: the model sees it with the next prompt, within bounds."""

from __future__ import annotations

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.ports import Situation
from inarch.contract.records import Contribution

MOST_OF_ONE = 8_000
"""Characters of one command's output; of a longer one the beginning and the end are seen."""
MOST = 24_000
"""Characters of all of them; the oldest are left out first."""
TITLE = "Since the last answer the user ran these commands in the workspace:"


@define(eq=False, repr=False)
class CommandOutputs:
    """The context source for `!` commands; it knows them from the session's events, so a replay gathers the same."""

    name: str = "commands"
    _waiting: list[str] = field(init=False, factory=list)

    def saw(self, event: Event) -> None:
        """Note a command that ran, and that a turn has seen those before it."""
        if event.kind == "command.ran" and event.data.get("name") == "!":
            output = _bounded(str(event.data.get("result", "")).strip())
            self._waiting.append(f"$ {event.data.get('arguments', '')}\n{output or '(no output)'}")
        elif event.kind == "context.added" and event.data.get("source") == self.name:
            self._waiting.clear()

    def to_data(self) -> list[str]:
        """Return what waits to be seen, for `go_on_from`."""
        return self._waiting

    def go_on_from(self, data: list[str]) -> None:
        """Take over what `to_data` gave."""
        self._waiting = [*data]

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return what ran since the last turn."""
        if not self._waiting:
            return None
        kept: list[str] = []
        room = MOST
        for text in reversed(self._waiting):
            room -= len(text)
            if room < 0 and kept:
                kept.insert(0, f"({len(self._waiting) - len(kept)} earlier ones are left out)")
                break
            kept.insert(0, text)
        return Contribution("\n\n".join([TITLE, *kept]))


def _bounded(text: str) -> str:
    left = len(text) - MOST_OF_ONE
    if left <= 0:
        return text
    half = MOST_OF_ONE // 2
    return f"{text[:half]}\n… ({left:,} characters left out) …\n{text[-half:]}"
