"""Development servers of tests: real ones, on loopback, that keep what reaches them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx2
import uvicorn
from attrs import define, field
from inarch_web.pointing.frame_addresses import PageAddress
from inarch_web.pointing.frame_server import Framed, serving
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

FRAMER = "http://127.0.0.1:1"


@asynccontextmanager
async def served(app: ASGIApp, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve an application, and yield its origin."""
    config = uvicorn.Config(
        app, host=host, port=0, log_config=None, log_level="critical", lifespan="off", timeout_graceful_shutdown=0,
        ws="websockets-sansio",
    )  # fmt: skip
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        await task


@define(eq=False)
class Page:
    """A page of several paths, and the headers of every request for it."""

    paths: Mapping[str, tuple[str, str]]
    """Path to content type and text."""
    headers: Mapping[str, str] = field(factory=dict)
    seen: list[Request] = field(factory=list)
    said: list[object] = field(factory=list)
    sockets: list[WebSocket] = field(factory=list)

    def app(self) -> Starlette:
        methods = ["GET", "POST", "PUT", "DELETE", "HEAD"]
        routes = [WebSocketRoute("/{rest:path}", self.socket), Route("/{rest:path}", self.answer, methods=methods)]
        return Starlette(routes=routes)

    async def answer(self, request: Request) -> Response:
        self.seen.append(request)
        if body := await request.body():
            self.said.append(body)
        found = self.paths.get(request.url.path)
        if found is None:
            return Response("nothing here", 404)
        return Response(found[1], media_type=found[0], headers=dict(self.headers))

    async def socket(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        await socket.accept(subprotocol=(socket.scope["subprotocols"] or [None])[0])
        while (message := await socket.receive())["type"] == "websocket.receive":
            self.said.append(message.get("text") or message.get("bytes"))
            if message.get("text") == "leave":
                await socket.close(3001)
                return
            await socket.send(
                {"type": "websocket.send", **{key: message[key] for key in ("text", "bytes") if message.get(key)}}
            )


@asynccontextmanager
async def framed(app: ASGIApp, framer: str = FRAMER) -> AsyncIterator[Framed]:
    """Serve an application and the proxy before it."""
    async with served(app) as origin, serving(PageAddress.read(origin), framer) as found:
        yield found


def client(page: Framed) -> httpx2.AsyncClient:
    """Return a client that reaches the proxy as a browser does, whatever this machine makes of `*.localhost`."""
    headers = {"host": page.addresses.frame.authority, "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"}
    return httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{page.addresses.frame.port}", headers=headers, trust_env=False, timeout=60
    )
