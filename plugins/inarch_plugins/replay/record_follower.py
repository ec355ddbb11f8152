"""Comparison of a run with a record that is read as the run goes on: first difference and recorded time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from inarch import Event
from inarch_plugins.replay.normal_form import MAIN, Normaliser, Said
from inarch_plugins.replay.session_diff import Difference, Digester, difference


@define(eq=False, repr=False)
class Follower:
    """Follower of a run that compares it with a record, event by event, and stops at the first difference.

    It holds only the events that were read and have not come yet.

    Args:
        recorded_root: The workspace of the record.
        root: The workspace of the run.
        read_on: Passes the record's next event to `expect`, and returns whether there was one.
    """

    recorded_root: str
    root: str
    read_on: Callable[[], bool]
    first: Difference | None = field(init=False, default=None)
    digester: Digester = field(init=False, factory=Digester)
    _recorded: Normaliser = field(init=False)
    _came: Normaliser = field(init=False)
    _expected: dict[str, deque[Said]] = field(init=False, factory=dict)
    _times: deque[tuple[int, str]] = field(init=False, factory=deque)
    _last_seq: int = field(init=False, default=0)
    _is_done: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self._recorded, self._came = Normaliser(self.recorded_root), Normaliser(self.root)

    def expect(self, event: Event) -> None:
        """Add the record's next event."""
        forms = self._recorded.take(event)
        for said in forms:
            self.digester.take(said)
        if self._is_done:
            return
        self._times.append((event.seq, event.time))
        for said in forms:
            self._expected.setdefault(said.stream, deque()).append(said)

    def take(self, event: Event) -> None:
        """Compare the run's next event."""
        for said in self._came.take(event):
            recorded = self._next(said.stream)
            if self.first is None and (recorded is None or recorded.key != said.key):
                self.first = difference(recorded, said)
            if recorded is not None:
                self._done(recorded)

    def _next(self, stream: str) -> Said | None:
        """Return the record's next event of a stream. A call's events are all in its step, which was read."""
        while stream == MAIN and MAIN not in self._expected and self.read_on():
            pass
        expected = self._expected.get(stream)
        return expected[0] if expected else None

    def _done(self, recorded: Said) -> None:
        expected = self._expected[recorded.stream]
        expected.popleft()
        if not expected:
            del self._expected[recorded.stream]
        self._last_seq = max(self._last_seq, recorded.seq)

    def finish(self) -> Difference | None:
        """Return the first difference, such as a recorded event that never came."""
        if self.first is None:
            while self.read_on():
                pass
            open_ones = (
                said
                for stream, expected in self._expected.items()
                for said in expected
                if stream != MAIN or said.kind != "call"
            )
            missing = min(open_ones, key=lambda said: said.seq, default=None)
            if missing is not None:
                self.first = difference(missing, None)
        return self.first

    def read_out(self) -> None:
        """Read the rest of the record for its digest only."""
        self._is_done = True
        self._expected.clear()
        while self.read_on():
            pass

    def time(self) -> str:
        """Return the recorded time at this point."""
        times = self._times
        while len(times) > 1 and times[0][0] <= self._last_seq:
            times.popleft()
        return times[0][1]
