"""A session as lines of JSON, the same ones as in the event log: `inarch sessions restore` reads them back."""

from __future__ import annotations

from collections.abc import Iterator

from inarch.transcripts import Transcript

SCHEMA = 1
"""The version of the lines that `inarch sessions restore` knows."""


def lines(session: Transcript) -> Iterator[str]:
    """Yield a line an event, with the version of the lines in front."""
    for event in session.events():
        yield f'{{"schema":{SCHEMA},{event.line[1:]}\n'
