"""A person's own page under another origin, so that a frame can have it: HTTP and WebSockets of one address, no other.

docs/explanation/web.md says what passes and what doesn't.
"""

from __future__ import annotations

import asyncio
import html
import json
import secrets
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from importlib.resources import files
from typing import Any

import httpx2
from attrs import define, field
from starlette.types import Receive, Scope, Send

import inarch
from inarch_web.pointing.addresses import Addresses
from inarch_web.pointing.headers import Headers, for_the_frame, for_the_page, target_of, value_of
from inarch_web.pointing.injecting import Injection, can_be_changed
from inarch_web.pointing.sockets import pass_socket_on

PICKER = "/__inarch_picker__.js"
"""The one path that the page's server never sees."""
CONNECT_S = 10.0
_NAVIGATIONS = ("iframe", "frame")
_NO_PATH = "only a path can be asked for"


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
            if why := refusal(scope["method"], scope["headers"], self.addresses) or ("" if is_path else _NO_PATH):
                await _answer(send, 403, f"{why}\n".encode(), "text/plain; charset=utf-8")
            elif scope["path"] == PICKER:
                await _answer(send, 200, self._picker, "text/javascript; charset=utf-8")
            else:
                sent = asyncio.Event()
                await _until_gone(self._pass_on(scope, receive, send, sent), receive, sent)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, sent: asyncio.Event) -> None:
        headers: Headers = scope["headers"]
        wants_plain, body = is_navigation(headers), None
        if has_body(headers):
            body = _body(receive, sent)
        else:
            sent.set()
        request = httpx2.Request(
            scope["method"], self._url(scope),
            headers=for_the_page(headers, self.addresses, wants_plain=wants_plain),
            content=body,
        )  # fmt: skip
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.TransportError as error:
            await _answer(send, 502, _not_there(self.addresses.page.origin, error), "text/html; charset=utf-8", "2")
            return
        finally:
            self._client.cookies.clear()  # the browser keeps them, for the frame
        try:
            await self._answer_with(response, scope["method"], wants_plain, send)
        finally:
            await response.aclose()

    async def _answer_with(self, response: httpx2.Response, method: str, wants_plain: bool, send: Send) -> None:
        encoding = response.headers.get("content-encoding", "")
        is_changed = (
            wants_plain and method == "GET" and response.status_code not in (204, 206, 304)
            and can_be_changed(response.headers.get("content-type", ""), encoding)
        )  # fmt: skip
        nonce = secrets.token_urlsafe(16)
        sent = for_the_frame(
            response.headers.raw, self.addresses, framer=self.framer, nonce=nonce, is_changed=is_changed,
            picker=self.addresses.frame.origin + PICKER,
        )  # fmt: skip
        await send({"type": "http.response.start", "status": response.status_code, "headers": sent})
        pieces = _changed(response, nonce) if is_changed else response.aiter_raw()
        with suppress(httpx2.TransportError, httpx2.DecodingError):  # begun is begun: the browser sees a cut
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

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


async def _body(receive: Receive, sent: asyncio.Event) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise httpx2.WriteError("the browser has gone")
        if body := message.get("body"):
            yield body
        if not message.get("more_body"):
            sent.set()
            return


async def _until_gone(answering: Coroutine[Any, Any, None], receive: Receive, sent: asyncio.Event) -> None:
    """Answer until that is done or the browser has gone: an event stream of the page would go on for ever."""
    task, watch = asyncio.create_task(answering), asyncio.create_task(_gone(receive, sent))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await task
    finally:
        task.cancel()
        watch.cancel()


async def _gone(receive: Receive, sent: asyncio.Event) -> None:
    """Return when the browser has gone, which can be asked once its request was read."""
    await sent.wait()
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(send: Send, status: int, body: bytes, kind: str, refresh: str = "") -> None:
    headers = [
        (b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]  # fmt: skip
    if refresh:
        headers.append((b"refresh", refresh.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _not_there(origin: str, error: httpx2.TransportError) -> bytes:
    why = html.escape(f"{type(error).__name__}: {error}"[:300])
    return (
        "<!doctype html><meta charset=utf-8><title>Nothing answers</title><body style='font:16px system-ui;margin:2em'>"
        f"<h1>Nothing answers at {html.escape(origin)}</h1><p>Start the development server: this page looks again by "
        f"itself.</p><p><code>{why}</code></p>"
    ).encode()
