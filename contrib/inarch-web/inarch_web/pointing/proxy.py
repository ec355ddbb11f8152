"""Proxy that serves the user's own page under another origin, for a frame: HTTP and WebSockets of one address.

docs/explanation/web.md says what passes and what does not.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import secrets
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, contextmanager, suppress
from importlib.resources import files

import httpx2
import websockets.asyncio.client
import websockets.exceptions
from attrs import define, field
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection
from websockets.typing import Subprotocol

import inarch
from inarch_web.pointing.frame_addresses import Addresses
from inarch_web.pointing.headers import Headers, for_the_frame, for_the_page, target_of, value_of

LONGEST_HEAD = 8 * 1024
"""Bytes in which the proxy looks for the document type. Without one, the tag goes at the start of the page."""
_MARKS = rb"(?:\xef\xbb\xbf)?+(?:\s|<!--.*?-->|<\?[^>]*>)*+"
_DOCTYPE = rb"<!doctype[^>]*>"
_BEFORE = re.compile(rb"%b(?:%b)?" % (_MARKS, _DOCTYPE), re.DOTALL | re.IGNORECASE)
_IS_KNOWN = re.compile(rb"%b(?:%b|<[^!?]|[^<\s\xef\xfe\xff])" % (_MARKS, _DOCTYPE), re.DOTALL | re.IGNORECASE)
_OTHER_BYTES = re.compile(r"charset\s*=\s*[\"']?\s*(utf-?16|utf-?32|ucs-?2|iso-2022|utf-7|hz-)", re.IGNORECASE)


def can_be_changed(content_type: str, encoding: str) -> bool:
    """Return whether a tag can be inserted in a response: HTML in a known encoding."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("text/html", "application/xhtml+xml") or _OTHER_BYTES.search(content_type):
        return False
    return encoding.strip().lower() in ("", "identity", "gzip", "x-gzip", "deflate")


@define(eq=False, repr=False)
class Injection:
    """Inserter of a tag into a page that arrives in pieces."""

    tag: bytes
    _head: bytes | None = field(init=False, default=b"")

    def add(self, piece: bytes) -> bytes:
        """Add a piece and return the bytes that can be sent now."""
        if self._head is None:
            return piece
        self._head += piece
        return self.end() if len(self._head) >= LONGEST_HEAD or _IS_KNOWN.match(self._head) else b""

    def end(self) -> bytes:
        """End the page and return the remaining bytes."""
        if self._head is None:
            return b""
        head, self._head = self._head, None
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # UTF-16 despite the declared charset
            return head
        found = _BEFORE.match(head)
        place = found.end() if found else 0
        return head[:place] + self.tag + head[place:]


LONGEST_MESSAGE = 16 * 1024 * 1024
_CONNECT_S = 10.0
_SAID_BY_THE_CLIENT = (b"host", b"origin")


async def pass_socket_on(addresses: Addresses, scope: Scope, receive: Receive, send: Send) -> None:
    """Open the same WebSocket at the page's server and pass messages both ways until one side closes."""
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
                with suppress(RuntimeError):  # the browser has closed the connection meanwhile
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
    """Pass the browser's messages on and return its close code."""
    while True:
        message = await receive()
        if message["type"] != "websocket.receive":
            return _code(message.get("code"))
        text = message.get("text")
        with suppress(websockets.exceptions.ConnectionClosed):  # the other direction handles it
            await server.send(text if text is not None else message["bytes"])


async def _back(server: ClientConnection, send: Send) -> int:
    """Pass the server's messages on and return its close code."""
    with suppress(websockets.exceptions.ConnectionClosed):
        async for data in server:
            await send({"type": "websocket.send", "text" if isinstance(data, str) else "bytes": data})
    return _code(server.close_code)


def _code(code: int | None) -> int:
    """Return a close code that may be sent. Some codes are reserved for local use."""
    return code if code is not None and (code in (1000, 1001) or 3000 <= code <= 4999) else 1001


PICKER = "/__inarch_picker__.js"
"""The only path that does not go to the page's server."""
CONNECT_S = 10.0
_NAVIGATIONS = ("iframe", "frame")
_NO_PATH = "only a path can be asked for"
_OWN = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
"""Headers of the proxy's own answers."""


@define(eq=False, repr=False)
class Proxy:
    """ASGI application between the frame and the page's server."""

    addresses: Addresses
    framer: str
    streams: int = field(init=False, default=0)
    _client: httpx2.AsyncClient = field(init=False)
    _picker: bytes = field(init=False)

    def __attrs_post_init__(self) -> None:
        source = (files("inarch_web") / "pointing" / "picker.js").read_text("utf-8")
        self._picker = source.replace('"INARCH_ORIGIN"', json.dumps(self.framer)).encode()
        self._client = httpx2.AsyncClient(
            verify=not inarch.hosts.is_loopback(self.addresses.page.host),  # development certificates are self-signed
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            trust_env=False,  # no other proxy between this machine and itself
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """End all connections to the page's server."""
        await self._client.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the browser."""
        is_path = target_of(scope).startswith(b"/")  # other targets could name a host, and browsers do not send them
        if scope["type"] == "websocket":
            if why := refusal_of_socket(scope["headers"], self.addresses) or ("" if is_path else _NO_PATH):
                await send({"type": "websocket.close", "code": 1008, "reason": why})
            else:
                with self._streaming():
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
        """Return the answer of the page's server. Its connection stays open until the stack closes."""
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
            self._client.cookies.clear()  # the browser stores the frame's cookies
        stack.push_async_callback(answer.aclose)
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            stack.enter_context(self._streaming())
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

    @contextmanager
    def _streaming(self) -> Iterator[None]:
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1

    def _url(self, scope: Scope) -> httpx2.URL:
        page = self.addresses.page
        return httpx2.URL(scheme=page.scheme, host=page.host, port=page.port, raw_path=target_of(scope))


def refusal(method: str, headers: Headers, addresses: Addresses) -> str:
    """Return why a request is refused, or "" if it is allowed."""
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
    """Return why a WebSocket is refused, or "" if it is allowed."""
    if value_of(headers, b"host") != addresses.frame.authority:
        return "no such page"
    return "" if value_of(headers, b"origin") == addresses.frame.origin else "not from the page itself"


def is_navigation(headers: Headers) -> bool:
    """Return whether the answer will be a document in the frame."""
    if dest := value_of(headers, b"sec-fetch-dest"):
        return dest in _NAVIGATIONS
    return "text/html" in value_of(headers, b"accept")  # the browser does not send Sec-Fetch-Dest


def has_body(headers: Headers) -> bool:
    """Return whether a request has a body."""
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
