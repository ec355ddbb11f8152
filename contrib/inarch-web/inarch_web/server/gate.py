"""Access checks of the server: it answers only its own page, under one host name."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import uvicorn
from attrs import define, field
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
"""Seconds in which the head of a request must arrive."""
MOST_IDLE = 64
"""Connections without an active request. If there are more, the server closes the oldest."""


class QuietServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


class GuardedConnection(H11Protocol):
    """A connection of `inarch web` or of its proxy, for `uvicorn.Config(http=...)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.began = monotonic()
        self._patience: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the connection is open and has no active request."""
        return (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the time limit for a head, and close the oldest idle connection if there are too many."""
        super().connection_made(transport)
        self._wait()
        _make_room([one for one in self.connections if isinstance(one, GuardedConnection) and one.is_idle])

    def data_received(self, data: bytes) -> None:
        """Take data. An unfinished head does not extend its time limit."""
        super().data_received(data)
        if not self.is_idle:
            self._stop_waiting()
        elif self._patience is None and self in self.connections:
            self._wait()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over to the WebSocket protocol."""
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


HOST = "127.0.0.1"
"""The server's only host name. The framed page has `localhost`, so the two share no cookies or storage."""
_DIRECTIVES = (
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
    "media-src 'self' blob:", "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
)  # fmt: skip


@define(eq=False, repr=False)
class Gate:
    """ASGI middleware that refuses other hosts and origins and sets the security headers."""

    app: ASGIApp
    port: int
    framed: str = ""
    _headers: dict[str, str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        policy = [*_DIRECTIVES, f"connect-src 'self' ws://{self.name}", "frame-src " + (self.framed or "'none'")]
        self._headers = {
            "Content-Security-Policy": "; ".join(policy),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
            "Cache-Control": "no-store",
        }

    @property
    def name(self) -> str:
        """The only `Host` that requests may have."""
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        """The only origin that requests may come from."""
        return f"http://{self.name}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a connection."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        wrong = self._wrong(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        if not wrong:
            await self.app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, wrong)(scope, receive, send)  # not accepted yet, so the answer is 403
        else:
            await PlainTextResponse(f"{wrong}\n", 403, {"connection": "close"})(scope, receive, guarded)

    def _wrong(self, scope: Scope) -> str:
        """Return why a request is refused, or "" if it is allowed."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if hosts != [self.name]:
            return f"this server is {self.name} only"
        needs_origin = scope["type"] == "websocket"
        if origins != [self.origin] and (origins or needs_origin):
            return "this server answers its own page only"
        return "" if needs_origin or scope["method"] in ("GET", "HEAD") else "this server is only read"


@define(eq=False, repr=False)
class Tokens:
    """The token of a server, and a ticket that admits one page once.

    The browser that Inarch starts gets the ticket. Every user of the machine can read the arguments of a running
    program, so the token must not be in them.
    """

    token: str = field(init=False, factory=lambda: secrets.token_urlsafe(32))
    ticket: str = field(init=False, factory=lambda: secrets.token_urlsafe(32))

    def admit(self, shown: str) -> bool:
        """Return whether a token or ticket admits a page. A ticket works once."""
        if _same(shown, self.token):
            return True
        if not (self.ticket and _same(shown, self.ticket)):
            return False
        self.ticket = ""
        return True


def _same(shown: str, wanted: str) -> bool:
    return hmac.compare_digest(shown.encode(errors="backslashreplace"), wanted.encode())
