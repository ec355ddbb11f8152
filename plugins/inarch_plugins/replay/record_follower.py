"""Comparison of a run with a record, step by step: first difference and recorded time."""

from __future__ import annotations

from collections import deque

from attrs import define, field

from inarch import Event
from inarch_plugins.replay.normal_form import MAIN, Normaliser, Said
from inarch_plugins.replay.session_diff import Difference, Digester, difference


@define(eq=False, repr=False)
class Follower:
    """Follower of a run that compares it with a record, event by event, and stops at the first difference.

    Args:
        recorded_root: The workspace of the record.
        root: The workspace of the run.
    """

    recorded_root: str
    root: str
    first: Difference | None = field(init=False, default=None)
    digester: Digester = field(init=False, factory=Digester)
    _recorded: Normaliser = field(init=False)
    _came: Normaliser = field(init=False)
    _expected: dict[str, deque[Said]] = field(init=False, factory=dict)
    _times: deque[tuple[int, str]] = field(init=False, factory=deque)
    _last_seq: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self._recorded, self._came = Normaliser(self.recorded_root), Normaliser(self.root)

    def read(self, event: Event) -> tuple[Said, ...]:
        """Add the record's next event to the digest, and return its normal form."""
        forms = self._recorded.take(event)
        for said in forms:
            self.digester.take(said)
        return forms

    def expect(self, event: Event) -> bool:
        """Expect the record's next event. Return whether it is compared."""
        forms = self.read(event)
        self._times.append((event.seq, event.time))
        for said in forms:
            self._expected.setdefault(said.stream, deque()).append(said)
        return bool(forms)

    def take(self, event: Event) -> None:
        """Compare the run's next event."""
        for said in self._came.take(event):
            expected = self._expected.get(said.stream)
            recorded = expected[0] if expected else None
            if self.first is None and (recorded is None or recorded.key != said.key):
                self.first = difference(recorded, said)
            if expected:
                self._last_seq = max(self._last_seq, expected.popleft().seq)
                if not expected:
                    del self._expected[said.stream]

    def finish(self) -> None:
        """Check that every recorded event came."""
        open_ones = (
            said
            for stream, expected in self._expected.items()
            for said in expected
            if stream != MAIN or said.kind != "call"
        )
        missing = min(open_ones, key=lambda said: said.seq, default=None)
        if self.first is None and missing is not None:
            self.first = difference(missing, None)

    def time(self) -> str:
        """Return the recorded time at this point."""
        times = self._times
        while len(times) > 1 and times[0][0] <= self._last_seq:
            times.popleft()
        return times[0][1]
