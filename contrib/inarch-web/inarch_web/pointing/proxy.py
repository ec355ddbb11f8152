"""A person's own page under another origin, so that a frame can have it: HTTP and WebSockets of one address, no other.

docs/explanation/web.md says what passes and what doesn't.
"""

from __future__ import annotations

import html
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from importlib.resources import files

import httpx2
from attrs import define, field
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

import inarch
from inarch_web.pointing.frame_addresses import Addresses
from inarch_web.pointing.headers import Headers, for_the_frame, for_the_page, target_of, value_of
from inarch_web.pointing.script_tag import Injection, can_be_changed
from inarch_web.pointing.sockets import pass_socket_on

PICKER = "/__inarch_picker__.js"
"""The one path that the page's server never sees."""
CONNECT_S = 10.0
_NAVIGATIONS = ("iframe", "frame")
_NO_PATH = "only a path can be asked for"
_OWN = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
"""Headers of what the page's server has not answered."""


@define(eq=False, repr=False)
class Proxy:
    """The application that stands between frame and page.

    Args:
        addresses: Both addresses.
        framer: The origin of Inarch's own page.
    """

    addresses: Addresses
    framer: str
    _client: httpx2.AsyncClient = field(init=False)
    _picker: bytes = field(init=False)

    def __attrs_post_init__(self) -> None:
        source = (files("inarch_web") / "pointing" / "picker.js").read_text("utf-8")
        self._picker = source.replace('"INARCH_ORIGIN"', json.dumps(self.framer)).encode()
        self._client = httpx2.AsyncClient(
            verify=not inarch.hosts.is_loopback(self.addresses.page.host),  # development servers sign for themselves
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            trust_env=False,  # another proxy has no business between this machine and itself
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """End all connections to the page's server."""
        await self._client.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the browser's."""
        is_path = target_of(scope).startswith(b"/")  # anything else could name a host, and no browser sends it
        if scope["type"] == "websocket":
            if why := refusal_of_socket(scope["headers"], self.addresses) or ("" if is_path else _NO_PATH):
                await send({"type": "websocket.close", "code": 1008, "reason": why})
            else:
                await pass_socket_on(self.addresses, scope, receive, send)
        elif scope["type"] == "http":
            async with AsyncExitStack() as stack:
                if why := refusal(scope["method"], scope["headers"], self.addresses) or ("" if is_path else _NO_PATH):
                    response: Response = PlainTextResponse(f"{why}\n", 403, _OWN)
                elif scope["path"] == PICKER:
                    response = Response(self._picker, headers=_OWN, media_type="text/javascript")
                else:
                    response = await self._answer(Request(scope, receive), stack)
                await response(scope, receive, send)

    async def _answer(self, request: Request, stack: AsyncExitStack) -> Response:
        """Return what the page's server answers; its connection is open until the stack is left."""
        scope, headers = request.scope, request.scope["headers"]
        wants_plain = is_navigation(headers)
        asked = httpx2.Request(
            request.method, self._url(scope), headers=for_the_page(headers, self.addresses, wants_plain=wants_plain),
            content=request.stream() if has_body(headers) else None,
        )  # fmt: skip
        try:
            answer = await self._client.send(asked, stream=True)
        except (httpx2.TransportError, ClientDisconnect) as error:
            return HTMLResponse(_not_there(self.addresses.page.origin, error), 502, {**_OWN, "refresh": "2"})
        finally:
            self._client.cookies.clear()  # the browser keeps them, for the frame
        stack.push_async_callback(answer.aclose)
        is_changed = (
            wants_plain and request.method == "GET" and answer.status_code not in (204, 206, 304)
            and can_be_changed(answer.headers.get("content-type", ""), answer.headers.get("content-encoding", ""))
        )  # fmt: skip
        nonce = secrets.token_urlsafe(16)
        response = StreamingResponse(_changed(answer, nonce) if is_changed else answer.aiter_raw(), answer.status_code)
        response.raw_headers = for_the_frame(
            answer.headers.raw, self.addresses, framer=self.framer, nonce=nonce, is_changed=is_changed,
            picker=self.addresses.frame.origin + PICKER,
        )  # fmt: skip
        return response

    def _url(self, scope: Scope) -> httpx2.URL:
        page = self.addresses.page
        return httpx2.URL(scheme=page.scheme, host=page.host, port=page.port, raw_path=target_of(scope))


def refusal(method: str, headers: Headers, addresses: Addresses) -> str:
    """Return why a request is not answered, empty where it is."""
    site, dest = value_of(headers, b"sec-fetch-site"), value_of(headers, b"sec-fetch-dest")
    origin = value_of(headers, b"origin")
    if value_of(headers, b"host") != addresses.frame.authority:
        return "no such page"
    if dest == "document":
        return f"this page is for the frame in Inarch's page; without a frame it is {addresses.page.origin}"
    if site in ("cross-site", "same-site") and not (dest in _NAVIGATIONS and method == "GET"):
        return "not from the page itself"
    if origin and origin != addresses.frame.origin and not (origin == "null" and site == "same-origin"):
        return "not from the page itself"
    if value_of(headers, b"service-worker") or dest == "serviceworker":
        return "service workers don't run in this frame"
    return ""


def refusal_of_socket(headers: Headers, addresses: Addresses) -> str:
    """Return why a WebSocket is not opened, empty where it is."""
    if value_of(headers, b"host") != addresses.frame.authority:
        return "no such page"
    return "" if value_of(headers, b"origin") == addresses.frame.origin else "not from the page itself"


def is_navigation(headers: Headers) -> bool:
    """Whether the answer will be a document in the frame."""
    if dest := value_of(headers, b"sec-fetch-dest"):
        return dest in _NAVIGATIONS
    return "text/html" in value_of(headers, b"accept")  # a browser that doesn't say


def has_body(headers: Headers) -> bool:
    """Whether a request comes with a body."""
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in headers)


async def _changed(response: httpx2.Response, nonce: str) -> AsyncIterator[bytes]:
    injection = Injection(f'<script src="{PICKER}" nonce="{nonce}"></script>'.encode())
    async with aclosing(inarch.body_pieces(response)) as pieces:
        async for piece in pieces:
            if more := injection.add(piece):
                yield more
    if more := injection.end():
        yield more


def _not_there(origin: str, error: Exception) -> str:
    why = html.escape(f"{type(error).__name__}: {error}"[:300])
    return (
        "<!doctype html><meta charset=utf-8><title>Nothing answers</title><body style='font:16px system-ui;margin:2em'>"
        f"<h1>Nothing answers at {html.escape(origin)}</h1><p>Start the development server: this page looks again by "
        f"itself.</p><p><code>{why}</code></p>"
    )
