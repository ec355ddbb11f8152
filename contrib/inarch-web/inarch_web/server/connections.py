"""HTTP connections that have to send their request in time, of which so many may wait."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""Seconds in which the head of a request has to come."""
MOST_IDLE = 64
"""Connections without a request that is worked on; the oldest makes room."""


class QuietServer(uvicorn.Server):
    """A server that leaves signals to the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


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
    if len(idle) > MOST_IDLE:
        min(idle, key=lambda one: one.began).transport.abort()
