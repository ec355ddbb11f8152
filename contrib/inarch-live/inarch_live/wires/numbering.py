"""How many messages of the port stand behind how many of the service: mostly one each, so only the others are kept."""

from __future__ import annotations

from bisect import bisect_right

from attrs import define, field


@define(eq=False)
class Numbering:
    """Counts what is sent on one connection.

    Args:
        wire: Messages of the service that were sent before the first of the port, the setup not counted.
    """

    wire: int = 0
    port: int = field(init=False, default=0)
    _wire_at: list[int] = field(init=False, factory=list)
    _port_at: list[int] = field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self._keep()

    def sent(self, messages: int = 1) -> None:
        """Count one message of the port, which took so many of the service."""
        self.port += 1
        self.wire += messages
        if messages != 1:
            self._keep()

    def consumed(self, wire: int) -> int:
        """Return how many messages of the port are whole among the first `wire` of the service."""
        place = bisect_right(self._wire_at, wire) - 1
        if place < 0:
            return 0
        whole = self._port_at[place] + wire - self._wire_at[place]
        last = self._port_at[place + 1] - 1 if place + 1 < len(self._port_at) else self.port
        return min(whole, last)

    def _keep(self) -> None:
        self._wire_at.append(self.wire)
        self._port_at.append(self.port)
