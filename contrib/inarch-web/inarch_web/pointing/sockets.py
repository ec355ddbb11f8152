"""A WebSocket of the page passed on to its server: hot reload."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress

import websockets.asyncio.client
import websockets.exceptions
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection
from websockets.typing import Subprotocol

import inarch
from inarch_web.pointing.frame_addresses import Addresses
from inarch_web.pointing.headers import for_the_page, target_of

LONGEST_MESSAGE = 16 * 1024 * 1024
_CONNECT_S = 10.0
_SAID_BY_THE_CLIENT = (b"host", b"origin")


async def pass_socket_on(addresses: Addresses, scope: Scope, receive: Receive, send: Send) -> None:
    """Open the same socket at the page's server and pass messages on in both directions, until one side ends."""
    await receive()  # websocket.connect
    try:
        server = await _connected(addresses, scope)
    except (OSError, TimeoutError, websockets.exceptions.WebSocketException):
        await send({"type": "websocket.close", "code": 1011})
        return
    async with server:
        await send({"type": "websocket.accept", "subprotocol": server.subprotocol})
        out, back = asyncio.create_task(_out(server, receive)), asyncio.create_task(_back(server, send))
        try:
            await asyncio.wait({out, back}, return_when=asyncio.FIRST_COMPLETED)
            if back.done():
                code = back.result()
                with suppress(RuntimeError):  # the browser has closed it meanwhile
                    await send({"type": "websocket.close", "code": code})
            else:
                await server.close(out.result())
        finally:
            out.cancel()
            back.cancel()


async def _connected(addresses: Addresses, scope: Scope) -> ClientConnection:
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in for_the_page(scope["headers"], addresses, wants_plain=False)
        if name not in _SAID_BY_THE_CLIENT
    ]
    page = addresses.page
    tls = None if page.scheme == "http" else _tls(page.host)
    return await websockets.asyncio.client.connect(
        page.socket_origin + target_of(scope).decode("latin-1"),
        origin=websockets.typing.Origin(page.origin),
        additional_headers=headers,
        subprotocols=[Subprotocol(name) for name in scope.get("subprotocols", ())] or None,
        user_agent_header=None,
        compression=None,
        max_size=LONGEST_MESSAGE,
        open_timeout=_CONNECT_S,
        close_timeout=1,
        ping_interval=None,
        proxy=None,
        ssl=tls,
    )


def _tls(host: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if inarch.hosts.is_loopback(host):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def _out(server: ClientConnection, receive: Receive) -> int:
    """Pass on what the browser says; return the code with which it ended."""
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return _code(message.get("code"))
        text = message.get("text")
        with suppress(websockets.exceptions.ConnectionClosed):  # the other direction says so
            await server.send(text if text is not None else message["bytes"])


async def _back(server: ClientConnection, send: Send) -> int:
    """Pass on what the server says; return the code with which it ended."""
    with suppress(websockets.exceptions.ConnectionClosed):
        async for data in server:
            await send({"type": "websocket.send", "text" if isinstance(data, str) else "bytes": data})
    return _code(server.close_code)


def _code(code: int | None) -> int:
    """Return a code that may be sent: some say only what was not."""
    return code if code is not None and (code in (1000, 1001) or 3000 <= code <= 4999) else 1001
