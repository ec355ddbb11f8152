"""The server of `inarch web`: it opens the port, prints the address and runs until Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from importlib.resources import as_file, files
from typing import Any

import uvicorn
from attrs import define
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket
from websockets.exceptions import InvalidState

import inarch
from inarch.capabilities import able
from inarch.commands import compose_given
from inarch.figures import call_title
from inarch_web import Settings
from inarch_web.server.gate import HOST, Gate, GuardedConnection, QuietServer, Tokens
from inarch_web.server.page import Page
from inarch_web.server.room_list import Desk
from inarch_web.server.sections import Design


def site(desk: Desk, design: Design, tokens: Tokens, port: int, framed: str) -> Gate:
    """Return the ASGI application of the server."""
    assets = design.assets()
    with as_file(files("inarch_web").joinpath("static")) as folder:  # not zipped, so the path stays valid
        place = folder

    async def index(request: Request) -> Response:
        return FileResponse(place / "index.html")

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["name"])
        if found is None:
            return Response(status_code=404)
        return Response(found.content, media_type=found.content_type)

    async def socket(websocket: WebSocket) -> None:
        await Page(websocket, desk, tokens).run()

    routes = [
        Route("/", index),
        Route("/assets/{name}", asset),
        Mount("/static", StaticFiles(directory=place)),
        WebSocketRoute("/socket", socket),
    ]
    return Gate(Starlette(routes=routes), port, framed)


LARGEST_MESSAGE = 4 << 20
"""Bytes of a page's message at most. The server refuses a longer one before it reads it."""
TICK_S = 5.0
_NO_DESIGN = "the part `export` brings it; leave out what leaves it out (-p no:export)"


@define(eq=False, repr=False)
class Served:
    """A running server.

    Args:
        address: The address with the token, for browsers.
        once: The address with the ticket, for the browser that Inarch starts.
        desk: The rooms.
    """

    address: str
    once: str
    desk: Desk


def serve(given: Mapping[str, Any], settings: Settings) -> int:
    """Serve until Ctrl-C or a signal to end."""
    app = compose_given(given, naming="web")
    try:
        return asyncio.run(_until_asked(app, given, settings))
    finally:
        if not app.is_closed:
            app.close()


async def _until_asked(app: inarch.App, given: Mapping[str, Any], settings: Settings) -> int:
    asked, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError, ValueError):
            loop.add_signal_handler(getattr(signal, name), asked.set)
    try:
        async with serving(
            app, settings, given.get("port") or 0, given.get("page"), given.get("page_anywhere")
        ) as served:
            served.desk.flags = _flags(given)
            sys.stdout.write(f"{served.address}\n")
            sys.stdout.flush()
            sys.stderr.write("inarch web: whoever has this address can do what you can; Ctrl-C ends it\n")
            if not given.get("no_browser"):
                await asyncio.to_thread(webbrowser.open, served.once)
            await asked.wait()
            sys.stderr.write("inarch web: ending what runs\n")
    finally:
        await app.aclose()
    return 0


@asynccontextmanager
async def serving(
    app: inarch.App, settings: Settings, port: int = 0, page: str | None = None, anywhere: bool | None = False
) -> AsyncIterator[Served]:
    """Serve an application's sessions while the context is open."""
    exporter = app.composition.exporters.get("html")
    design = able(exporter.value, Design) if exporter is not None else None
    if exporter is None or design is None:
        raise inarch.UsageError("the page's design is missing", _NO_DESIGN)
    listening = _listening(port)
    port = listening.getsockname()[1]
    async with AsyncExitStack() as stack:
        framed = None
        if page:
            from inarch_web.pointing.frame_addresses import PageAddress
            from inarch_web.pointing.frame_server import serving as framing

            address = PageAddress.read(page, anywhere=bool(anywhere))
            framed = await stack.enter_async_context(framing(address, f"http://{HOST}:{port}"))
        desk = Desk(app, design.fragments(partial(_titled, app)), settings.idle_minutes * 60, framed)
        tokens, here = Tokens(), f"http://{HOST}:{port}/#"
        origin = framed.origin if framed is not None else ""
        await stack.enter_async_context(_running(desk, site(desk, design, tokens, port, origin), listening))
        yield Served(here + tokens.token, here + tokens.ticket, desk)


def _flags(given: Mapping[str, Any]) -> list[str]:
    """Return the flags with which another command composes the same application."""
    names = {"--profile": "profile", "--model": "model", "--plugin": "files", "-p": "without"}
    values = {flag: given.get(name) or () for flag, name in names.items()}
    return [word for flag, found in values.items() for one in ([found] if isinstance(found, str) else found)
            for word in (flag, one)]  # fmt: skip


def _titled(app: inarch.App, name: str, arguments: Mapping[str, Any]) -> str:
    bound = app.composition.tools.get(name)
    return call_title(name, arguments, bound and bound.value)


@asynccontextmanager
async def _running(desk: Desk, application: Any, listening: socket.socket) -> AsyncIterator[None]:
    server = QuietServer(
        uvicorn.Config(
            application, http=GuardedConnection, log_level="critical", lifespan="off", ws="websockets-sansio",
            ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False, ws_ping_interval=20.0, ws_ping_timeout=60.0,
            server_header=False, date_header=False, access_log=False, timeout_graceful_shutdown=3,
            limit_concurrency=200,
        )
    )  # fmt: skip
    task = asyncio.create_task(server.serve(sockets=[listening]))
    ticking = asyncio.create_task(_ticking(desk))
    try:
        yield  # a connection before the server has started waits in the socket's backlog
    finally:
        ticking.cancel()
        await desk.close()
        server.should_exit = True
        with suppress(InvalidState):  # uvicorn raises it if it closes a connection that is already closing
            await task


async def _ticking(desk: Desk) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        desk.tick()


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on loopback only."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise inarch.UsageError(
            f"port {port} of {HOST} can't be served: {error.strerror}", "name another with --port, or leave it out"
        ) from None
    listening.listen(128)
    listening.setblocking(False)
    return listening
