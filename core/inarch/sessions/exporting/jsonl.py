"""A session as lines of JSON, the same ones as in the event log: `inarch sessions restore` reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarch.contract.events import Event
from inarch.journal.event_log import SCHEMA


def lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line an event, with the version of the lines in front."""
    for event in events:
        yield f'{{"schema":{SCHEMA},{event.line[1:]}\n'
