"""HTTP connections that have to send their request in time, of which no peer can take all places."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""Seconds in which the head of a request has to come."""
MOST_IDLE = 64
"""Connections without a request that is worked on; the oldest of the peer that has most of them makes room."""


class GuardedConnection(H11Protocol):
    """A connection of `inarch web` or of its proxy, for `uvicorn.Config(http=...)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.began = monotonic()
        self._patience: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it is open and no request is worked on."""
        return (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for a head, and make room for it."""
        super().connection_made(transport)
        self._wait()
        _make_room([one for one in self.connections if isinstance(one, GuardedConnection) and one.is_idle])

    def data_received(self, data: bytes) -> None:
        """Take a piece; an unfinished head does not extend the time for it."""
        super().data_received(data)
        if not self.is_idle:
            self._stop_waiting()
        elif self._patience is None and self in self.connections:
            self._wait()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = self.loop.call_later(HEAD_S, lambda: self.transport.abort())

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


def _make_room(idle: list[GuardedConnection]) -> None:
    if len(idle) <= MOST_IDLE:
        return
    users = _users()
    peers = {one: users.get(one.client[1], "") if one.client else "" for one in idle}
    busiest = Counter(peers.values()).most_common(1)[0][0]
    min((one for one in idle if peers[one] == busiest), key=lambda one: one.began).transport.abort()


def _users() -> dict[int, str]:
    """Return the user of each local port, as far as Linux shows it (proc(5), /proc/net/tcp: local address, uid)."""
    found: dict[int, str] = {}
    for name in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        except OSError:  # another system
            continue
        for line in lines:
            words = line.split()
            found[int(words[1].rpartition(":")[2], 16)] = words[7]
    return found
