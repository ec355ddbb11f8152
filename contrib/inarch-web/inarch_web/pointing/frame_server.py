"""The proxy's own server on loopback. It runs as long as the page is shown."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import uvicorn
from attrs import frozen

from inarch_web.pointing.frame_addresses import Addresses, FrameAddress, PageAddress
from inarch_web.pointing.proxy import LONGEST_MESSAGE, Proxy
from inarch_web.server.gate import GuardedConnection, QuietServer

_TRIES = 20


@frozen
class Framed:
    """A page that can be framed."""

    addresses: Addresses
    proxy: Proxy

    @property
    def is_plain(self) -> bool:
        """Whether no builder can tell the page of changes: it has no WebSocket and no event stream open."""
        return not self.proxy.streams

    @property
    def origin(self) -> str:
        """The origin of the page in the frame."""
        return self.addresses.frame.origin

    def told(self) -> dict[str, str]:
        """Return the frame's addresses as data for Inarch's page."""
        page = self.addresses.page
        return {"origin": self.origin, "address": page.origin, "path": page.path}


@asynccontextmanager
async def serving(page: PageAddress, framer: str) -> AsyncIterator[Framed]:
    """Serve a page for frames in one origin."""
    sockets = _bound()
    frame = FrameAddress(sockets[0].getsockname()[1])
    proxy = Proxy(Addresses(page, frame), framer)
    config = uvicorn.Config(
        proxy, http=GuardedConnection, lifespan="off", log_config=None, log_level="critical", access_log=False,
        server_header=False, date_header=False, proxy_headers=False, ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE, ws_ping_interval=None, ws_per_message_deflate=False, timeout_graceful_shutdown=0,
    )  # fmt: skip
    server = QuietServer(config)
    task = asyncio.create_task(server.serve(sockets))
    try:
        yield Framed(proxy.addresses, proxy)
    finally:
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task
        await proxy.aclose()
        for one in sockets:
            one.close()


def _bound() -> list[socket.socket]:
    """Return sockets of one free port on both loopback addresses.

    A browser may try either address. Another program must not get the other one.
    """
    for _ in range(_TRIES):
        first = _socket(socket.AF_INET, "127.0.0.1", 0)
        try:
            return [first, _socket(socket.AF_INET6, "::1", first.getsockname()[1])]
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return [first]  # this machine has no IPv6
            first.close()
    return [_socket(socket.AF_INET, "127.0.0.1", 0)]


def _socket(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    made = socket.socket(family)
    try:
        made.bind((host, port))
        made.listen()  # early connections wait in the backlog
    except OSError:
        made.close()
        raise
    return made
