"""Session as lines of JSON, as in the event log: `inarch sessions restore` reads them."""

from __future__ import annotations

from collections.abc import Iterator

from inarch.transcripts import Transcript

SCHEMA = 1
"""Version of the lines that `inarch sessions restore` supports."""


def lines(session: Transcript) -> Iterator[str]:
    """Yield a line an event, with the version of the lines in front."""
    for event in session.events():
        yield f'{{"schema":{SCHEMA},{event.line[1:]}\n'
