"""Common parts of both live services on loopback, which send a test's answers."""

from __future__ import annotations

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any, Generic, Self, TypeVar

from attrs import define, field, frozen
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from inarch_live.port import LiveProvider

LONGEST_S = 60.0
"""Most seconds that a test waits, because machines may pause for a while."""

QUIET = logging.Logger("inarch_live.testing", logging.CRITICAL + 1)
"""A logger that drops everything: the library logs all headers, including the client's key."""

Message = dict[str, Any]


@frozen
class SentResult:
    """A result as received; `scheduling` is empty if the wire has none."""

    id: str
    status: str
    text: str
    scheduling: str = ""


@define(eq=False)
class There(ABC):
    """One connection on the service's side. The services' classes add methods that send in place of the model."""

    socket: ServerConnection
    path: str
    headers: dict[str, str]
    received: list[Message] = field(init=False, factory=list)
    audio: bytearray = field(init=False, factory=bytearray)
    """Received samples: 16 kHz for Gemini Live, 24 kHz for OpenAI Realtime."""
    texts: list[str] = field(init=False, factory=list)
    results: list[SentResult] = field(init=False, factory=list)
    answers: int = field(init=False, default=0)
    """The number of messages or requests for an answer that contained results."""
    has_ended: bool = field(init=False, default=False)
    _changed: asyncio.Condition = field(init=False, factory=asyncio.Condition)

    @property
    def setup(self) -> Message:
        """Return the first message."""
        return self.received[0]

    async def until(self, what: Callable[[Self], object], meaning: str = "") -> None:
        """Wait until a condition holds, checking it after every message.

        Raises:
            AssertionError: It does not hold within `LONGEST_S`, or the connection ended first.
        """
        async with self._changed:
            try:
                async with asyncio.timeout(LONGEST_S):
                    await self._changed.wait_for(lambda: what(self) or self.has_ended)
            except TimeoutError:
                pass
        assert what(self), f"{meaning or 'what was waited for'} did not come; last messages: {self.received[-3:]}"

    async def send(self, message: Message) -> None:
        """Send a message unchanged. If the connection has ended, do nothing."""
        await self.send_raw(json.dumps(message))

    async def send_raw(self, data: str | bytes) -> None:
        """Send any data as one message."""
        try:
            await self.socket.send(data)
        except ConnectionClosed:
            pass

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the connection with a code."""
        await self.socket.close(code, reason)

    def cut(self) -> None:
        """Cut the connection without a close message."""
        self.socket.transport.abort()

    @abstractmethod
    async def took(self, message: Message) -> None:
        """Store the content of a client's message, and send the service's automatic answer."""

    async def run(self) -> None:
        """Receive messages until the connection ends."""
        try:
            async for data in self.socket:
                message = json.loads(data)
                await self._keep(message)
        except ConnectionClosed:
            pass
        finally:
            self.has_ended = True
            async with self._changed:
                self._changed.notify_all()

    async def _keep(self, message: Message) -> None:
        self.received.append(message)
        await self.took(message)
        async with self._changed:
            self._changed.notify_all()


Connected = TypeVar("Connected", bound=There)
Script = Callable[[Any], Awaitable[None]]


@define(eq=False)
class LiveServer(ABC, Generic[Connected]):
    """A service; use it as an asynchronous context manager.

    Args:
        script: Runs with each connection once the setup was accepted.
        refuse: An HTTP status and body to send instead of accepting connections.
    """

    script: Script | None = None
    refuse: tuple[int, str] | None = None
    connections: list[Connected] = field(init=False, factory=list)
    failures: list[BaseException] = field(init=False, factory=list)
    """Errors of scripts, raised again when the server's context exits."""
    _server: Server | None = field(init=False, default=None)
    _arrived: asyncio.Condition = field(init=False, factory=asyncio.Condition)

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._handled, "127.0.0.1", 0, process_request=self._answered, max_size=None, ping_interval=None,
            close_timeout=1, compression=None, logger=QUIET,
        )  # fmt: skip
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        for there in self.connections:
            there.cut()
        self._server.close()
        await self._server.wait_closed()
        if self.failures:
            raise self.failures[0]

    @property
    def url(self) -> str:
        """Return the base address."""
        assert self._server is not None
        port = next(iter(self._server.sockets)).getsockname()[1]
        return f"http://127.0.0.1:{port}"

    @abstractmethod
    def provider(self, key: str = "a-key-of-tests") -> LiveProvider:
        """Return a provider that connects to this server."""

    @abstractmethod
    def there(self, socket: ServerConnection, path: str, headers: dict[str, str]) -> Connected:
        """Return the service's side of a new connection."""

    async def greet(self, there: Connected) -> None:
        """Send the service's first message, if it begins."""

    async def connection(self, number: int = 0) -> Connected:
        """Wait for a connection and return it, numbered in the order of setups.

        Raises:
            AssertionError: It did not arrive within `LONGEST_S`.
        """
        async with self._arrived:
            try:
                async with asyncio.timeout(LONGEST_S):
                    await self._arrived.wait_for(lambda: len(self.connections) > number)
            except TimeoutError:
                raise AssertionError(f"connection {number} did not come") from None
        there = self.connections[number]
        await there.until(lambda there: there.received, "the setup")
        return there

    async def _handled(self, socket: ServerConnection) -> None:
        request = socket.request
        assert request is not None
        there = self.there(socket, request.path, dict(request.headers.raw_items()))
        self.connections.append(there)
        async with self._arrived:
            self._arrived.notify_all()
        await self.greet(there)
        running = asyncio.create_task(self._scripted(there)) if self.script is not None else None
        await there.run()
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _scripted(self, there: Connected) -> None:
        assert self.script is not None
        try:
            await there.until(lambda there: there.received, "the setup")
            await self.script(there)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001  # raised again in the test
            self.failures.append(error)
            there.cut()

    def _answered(self, socket: ServerConnection, request: Request) -> Response | None:
        if self.refuse is None:
            return None
        status, body = self.refuse
        return socket.respond(HTTPStatus(status), body)


def text_of(parts: Sequence[Message]) -> str:
    """Return the text of some parts."""
    return "".join(str(part.get("text", "")) for part in parts)
