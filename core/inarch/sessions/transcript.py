"""A kept session as a transcript: read anew at each pass, up to the event that was its last when it was opened."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import define

from inarch.contract.events import Event
from inarch.contract.transcripts import Data, Exchange, Spent

if TYPE_CHECKING:
    from inarch.contract.ports import ContextStore
    from inarch.contract.records import SessionInfo
    from inarch.journal.redaction.redactor import Redactor


@define(eq=False, slots=False)
class KeptTranscript:
    """A session of a store; what became known as a secret since it was recorded is hidden, too."""

    store: ContextStore
    info: SessionInfo
    redactor: Redactor | None = None

    @cached_property
    def begun(self) -> Data:
        """What was recorded as it began."""
        return next((event.data for event in self.events() if event.kind == "session.started"), {})

    def exchanges(self) -> Iterator[Exchange]:
        """Yield each agent's turn with its prompt."""
        from inarch_sdk.exchanges import exchanges

        return exchanges(self.events())

    def events(self, kinds: Collection[str] = (), after: int = 0) -> Iterator[Event]:
        """Yield the events behind a number, all or those of some kinds, without secrets."""
        from inarch_sdk.snapshots import scan

        for event in scan(self.store, self.info.id, after, kinds):
            if event.seq > self.info.events:
                return
            yield event if self.redactor is None else _clean(event, self.redactor)

    def spent(self) -> tuple[Spent, ...]:
        """Return what its requests came to."""
        from inarch.sessions.contents import contents_of

        return contents_of(self.store, self.info.id).ledger.rows()


def _clean(event: Event, redactor: Redactor) -> Event:
    if not redactor.touches(event.line):
        return event
    from attrs import evolve

    return evolve(event, data=redactor.redact(event.data), line="")
