"""The WebSocket connection of one page: its token, its requests, and the queue of messages to it."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any

from attrs import define, field
from starlette.websockets import WebSocket, WebSocketDisconnect

import inarch
from inarch_web.server.gate import Tokens
from inarch_web.server.message_log import encoded
from inarch_web.server.room_list import Desk

MOST_WAITING = 16 << 20
"""Bytes that may be queued for a page before the server drops it."""
COMFORTABLE = 1 << 20
"""Queued bytes below which a long transfer continues."""


@define(eq=False, repr=False)
class Outbox:
    """Queue of messages to one page. Use it in the event loop's thread only."""

    most: int = MOST_WAITING
    is_over: bool = field(init=False, default=False)
    _line: deque[str | bytes] = field(init=False, factory=deque)
    _size: int = field(init=False, default=0)
    _changed: asyncio.Event = field(init=False, factory=asyncio.Event)

    def put(self, message: str | bytes) -> bool:
        """Queue a message. Return False if the queue is full or closed."""
        if self.is_over:
            return False
        if self._size + len(message) > self.most and self._line:
            return False
        self._line.append(message)
        self._size += len(message)
        self._changed.set()
        return True

    def end(self, last: str) -> None:
        """Replace the queue with one last message and close it."""
        self._line.clear()
        self._line.append(last)
        self._size, self.is_over = 0, True
        self._changed.set()

    async def take(self) -> str | bytes | None:
        """Return the next message, or None after the last one."""
        while not self._line:
            if self.is_over:
                return None
            self._changed.clear()
            await self._changed.wait()
        message = self._line.popleft()
        self._size = max(self._size - len(message), 0)
        self._changed.set()
        return message

    async def comfortable(self) -> None:
        """Wait until at most `COMFORTABLE` bytes are queued, or the queue is closed."""
        while self._size > COMFORTABLE and not self.is_over:
            self._changed.clear()
            await self._changed.wait()


HELLO_S = 10.0
"""Seconds in which a connection must send its token."""
AT_ONCE = 16
"""Requests of a page that run at once. The server reads no more until one of them ends."""
MOST_PAGES = 32
MOST_STRANGERS = 16
"""Connections without a token yet. If there are more, the server closes the oldest."""
LAST_WORD_S = 30.0
"""Seconds that a page has to read its last message."""
REFUSED, LEFT = 4001, 4000
"""Close codes: the page was not admitted, or it has received its last message."""


@define(eq=False, repr=False)
class Page:
    """A connection of a browser. Pages are numbered from 1; `number` is 0 until the page is admitted."""

    socket: WebSocket
    desk: Desk
    tokens: Tokens
    number: int = field(init=False, default=0)
    active: float = field(init=False, factory=monotonic)
    outbox: Outbox = field(init=False, factory=Outbox)
    over: asyncio.Event = field(init=False, factory=asyncio.Event)
    _reading: asyncio.Task[None] | None = field(init=False, default=None)
    _tasks: set[asyncio.Task[None]] = field(init=False, factory=set)
    _places: asyncio.Semaphore = field(init=False, factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def run(self) -> None:
        """Serve the page until either side closes the connection."""
        await self.socket.accept()
        greeting = await self._greeting()
        if greeting is None:
            await self.socket.close(REFUSED, "the token is missing or wrong: open the address that inarch web printed")
            return
        if len(self.desk.pages) >= MOST_PAGES:
            await self.socket.close(REFUSED, f"{MOST_PAGES} pages are open: close one")
            return
        self.number = self.desk.entered(self)
        writing = asyncio.create_task(self._write())
        reading = self._reading = asyncio.create_task(self._read(greeting))
        try:
            await asyncio.wait([writing, reading], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.desk.gone(self)
            await _ended([reading, *self._tasks])
            if not self.outbox.is_over:
                self.outbox.end("")
            await asyncio.wait([writing], timeout=LAST_WORD_S)
            await _ended([writing])
            self.over.set()

    def put(self, text: str) -> None:
        """Send a message. Ask a page that reads too slowly to reconnect."""
        if not self.outbox.put(text) and not self.outbox.is_over:
            self.bye("this page has read too slowly and was left behind", again=True)

    def send_bytes(self, data: bytes) -> None:
        """Send sound. Drop it if the page reads too slowly: it would play too late."""
        self.outbox.put(data)

    def bye(self, text: str, *, again: bool) -> None:
        """Send the last message and close. `again` says whether the page may reconnect by itself."""
        self.outbox.end(encoded({"bye": {"text": text, "again": again}}))
        if self._reading is not None:
            self._reading.cancel()  # so that `run` ends even if the page never reads the last message

    async def _greeting(self) -> Mapping[str, Any] | None:
        """Return the first message if it has a valid token."""
        strangers = self.desk.strangers
        try:
            async with asyncio.timeout(HELLO_S) as patience:
                strangers.append(patience)
                if len(strangers) > MOST_STRANGERS:
                    strangers.pop(0).reschedule(0)  # time the oldest out
                message = _read_message(await self.socket.receive())
        except (TimeoutError, WebSocketDisconnect, ValueError):
            return None
        finally:
            if patience in strangers:
                strangers.remove(patience)
        shown = message.get("token")
        is_right = message.get("do") == "hello" and isinstance(shown, str)
        return message if is_right and self.tokens.admit(str(shown)) else None

    async def _read(self, greeting: Mapping[str, Any]) -> None:
        await self._answer(greeting)
        while not self.outbox.is_over:
            received = await self.socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            self.active = monotonic()
            if (data := received.get("bytes")) is not None:
                await self._heard(data)
                continue
            try:
                message = _read_message(received)
            except ValueError as error:
                self.put(encoded({"re": None, "error": {"text": str(error), "remedy": "send a JSON object"}}))
                continue
            await self._places.acquire()
            await self.outbox.comfortable()  # a page that does not read its answers must wait
            task = asyncio.create_task(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(partial(self._done, message.get("id")))

    def _done(self, number: Any, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._places.release()
        if not task.cancelled() and (fault := task.exception()) is not None:
            told = {"text": f"inarch web has failed: {fault!r}", "remedy": "the terminal in which it runs has more"}
            self.put(encoded({"re": number, "error": told}))
            task.get_loop().call_exception_handler({"message": "a request of a page failed", "exception": fault})

    async def _answer(self, message: Mapping[str, Any]) -> None:
        from inarch_web.server.page_messages import VERBS

        number, name = message.get("id"), message.get("do")
        verb = VERBS.get(name) if isinstance(name, str) else None
        try:
            if verb is None:
                raise inarch.UsageError(f"{name!r} is nothing that can be done", f"one of {', '.join(VERBS)}")
            answer: Mapping[str, Any] = {"re": number, "ok": await verb(self, message)}
        except inarch.InarchError as error:
            answer = {"re": number, "error": {"text": error.message, "remedy": error.remedy}}
        self.put(encoded(answer))

    async def _heard(self, data: bytes) -> None:
        from inarch_web.server.page_messages import heard

        await heard(self, data)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):  # the page has disconnected
            while (message := await self.outbox.take()) is not None:
                if isinstance(message, bytes):
                    await self.socket.send_bytes(message)
                elif message:
                    await self.socket.send_text(message)
            await self.socket.close(LEFT)


def _read_message(received: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message of a page."""
    text = received.get("text")
    if not isinstance(text, str):
        raise ValueError("the message is no text")
    try:
        message = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"the message is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise ValueError("the message is no JSON object")
    return message


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait until all have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
