"""Shows a reply while it comes: pieces that arrive together are one event."""

from __future__ import annotations

import asyncio

from attrs import define, field

from inarch.contract.events import ModelDelta
from inarch.contract.records import Delta, ReasoningDelta, TextDelta
from inarch.journal.journal import Journal


@define(eq=False, repr=False)
class Showing:
    """Collects text until the loop has its next turn, which is before anything is waited for; then it is an event.

    Args:
        journal: Hears of it.
        turn_id: Whose reply it is.
    """

    journal: Journal
    turn_id: str
    _kind: type[TextDelta] | type[ReasoningDelta] | None = field(init=False, default=None)
    _texts: list[str] = field(init=False, factory=list)
    _due: asyncio.Handle | None = field(init=False, default=None)
    _failure: BrokenPipeError | None = field(init=False, default=None)

    def add(self, delta: Delta) -> None:
        """Take the next piece of the reply.

        Raises:
            BrokenPipeError: Nobody is there any more who could see it.
        """
        if self._failure is not None:
            raise self._failure
        if not isinstance(delta, (TextDelta, ReasoningDelta)):
            self.flush()
            return
        if delta.__class__ is not self._kind:
            self.flush()
            self._kind = delta.__class__
        self._texts.append(delta.text)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_soon(self._now)

    def flush(self) -> None:
        """Show what was collected."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._texts:
            text = "".join(self._texts)
            self._texts.clear()
            is_text = self._kind is not None and issubclass(self._kind, TextDelta)
            self.journal.record(ModelDelta(text=text) if is_text else ModelDelta(reasoning=text), self.turn_id)

    def _now(self) -> None:
        try:
            self.flush()
        except BrokenPipeError as error:  # a callback has nobody to tell; the next piece does
            self._failure = error
