"""The units waiting for evaluation, and the number of visits of each."""

from __future__ import annotations

from collections import deque

from attrs import Factory, define


@define(eq=False, repr=False)
class Worklist:
    """Units by their numbers, in the order in which they were woken."""

    limit: int = 0
    """Steps after which no statement is evaluated a second time."""
    work: int = 0
    queue: deque[int] = Factory(deque)
    queued: bytearray = Factory(bytearray)
    visits: bytearray = Factory(bytearray)

    def wake(self, units: list[int]) -> None:
        """Put units on the worklist, and clear the list of readers."""
        if units:
            queued, queue = self.queued, self.queue
            known = len(queued)
            for unit in units:
                # A higher number belongs to a file that was forgotten.
                if unit < known and not queued[unit]:
                    queued[unit] = 1
                    queue.append(unit)
            units.clear()

    def grow(self, units: int) -> None:
        """Make room for more units."""
        self.queued.extend(bytes(units - len(self.queued)))
        self.visits.extend(bytes(units - len(self.visits)))
