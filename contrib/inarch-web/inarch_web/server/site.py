"""What is served: the page, its own files, the exporter's design, and the socket."""

from __future__ import annotations

from importlib.resources import as_file, files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from inarch_web.server.gate import Gate, Tokens
from inarch_web.server.page import Page
from inarch_web.server.room_list import Desk
from inarch_web.server.sections import Design


def site(desk: Desk, design: Design, tokens: Tokens, port: int, framed: str) -> Gate:
    """Return the application that a server runs.

    Args:
        desk: The rooms.
        design: What has the page's files.
        tokens: What lets a page in.
        port: The port that is served.
        framed: The origin of the framed page, empty for none.
    """
    assets = design.assets()
    with as_file(files("inarch_web").joinpath("static")) as folder:  # installed as files: the package isn't zipped
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
