"""A stored session in pages: only the turns that a page shows are read."""

from __future__ import annotations

import threading
from collections.abc import Callable

from attrs import define, field

import inarch
from inarch.transcripts import Exchange, Reading, Transcript

MOST_TURNS = 20
"""Turns in one page at most."""
MOST_HTML = 400_000
"""Characters of HTML after which a page of turns ends."""


@define(eq=False, repr=False)
class Kept:
    """The turns of a stored session by number."""

    transcript: Callable[[], Transcript | None]
    _begins: list[int] = field(init=False, factory=list)  # the number of the first event of turn 1, 2, …
    _looking: threading.Lock = field(init=False, factory=threading.Lock)
    _looked_at: int = field(init=False, default=0)
    _waits: bool = field(init=False, default=False)  # whether the last turn has no agent's turn yet

    def read(self, first: int, last: int) -> list[Exchange]:
        """Return the turns from `first` to `last`. Events before turn 1 are turn 0."""
        transcript = self.transcript()
        if transcript is None:
            return []
        self._look(transcript)
        found, reading = list[Exchange](), self._at(first)
        end = self._begins[last] if last < len(self._begins) else None
        for event in transcript.events(after=self._before(first)):
            if end is not None and event.seq >= end:
                break
            found += reading.take(event)
        if not reading.is_empty:
            found.append(reading.exchange)
        return [exchange for exchange in found if first <= exchange.number <= last]

    def last(self) -> tuple[Reading, int]:
        """Return the reading of the last turn, to be continued, and the number of the last event."""
        transcript = self.transcript()
        if transcript is None:
            return Reading(), 0
        self._look(transcript)
        last = len(self._begins)
        reading, seq = self._at(last), self._before(last)
        for event in transcript.events(after=seq):
            seq = event.seq
            for _ in reading.take(event):
                pass
        return reading, seq

    def _at(self, number: int) -> Reading:
        return Reading(max(number - 1, 0))

    def _before(self, number: int) -> int:
        return self._begins[number - 1] - 1 if 0 < number <= len(self._begins) else 0

    def _look(self, transcript: Transcript) -> None:
        """Find the first events of new turns. A user's turn and the agent's turn after it are one."""
        with self._looking:
            for event in transcript.events(("turn.started",), after=self._looked_at):
                self._looked_at = event.seq
                is_users = _is_users(event)
                if is_users or not self._waits:
                    self._begins.append(event.seq)
                self._waits = is_users


def _is_users(event: inarch.Event) -> bool:
    turn = event.data.get("turn")
    return isinstance(turn, dict) and turn.get("type") == "user"
