"""The child's end of the pipe: sends messages, and asks the kernel while a call runs."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any

from attrs import define, field

from inarch import Cancelled, ToolFailed
from inarch_plugins.isolation.failures import error_data, error_from
from inarch_plugins.isolation.wire import LONGEST, encoded

_LOOK_S = 0.02
_TOGETHER_S = 0.01
MOST_TOGETHER = 1 << 14
"""Maximum characters of live output in one message."""


@define(eq=False, repr=False)
class Line:
    """Connection to the kernel's process; any thread may send."""

    plugin: str
    _socket: socket.socket
    _lock: threading.Lock = field(factory=threading.Lock)
    _asked: dict[int, Callable[[Mapping[str, Any]], None]] = field(factory=dict)
    _ids: Any = field(factory=lambda: itertools.count(1))

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message and wait until the system has it.

        Raises:
            TypeError: It has a value without a JSON form.
            ValueError: It refers to itself, or is too long.
        """
        data = encoded(message)
        if len(data) > LONGEST:
            raise ValueError(
                f"{len(data) >> 20} MiB are more than the {LONGEST >> 20} MiB that an isolated plugin may send"
            )
        with self._lock:
            self._socket.sendall(data)

    def reply(self, number: int, value: Any) -> None:
        """Send the result of a call."""
        try:
            self.send({"op": "reply", "id": number, "value": value})
        except (TypeError, ValueError, RecursionError) as error:
            self.fail(number, ToolFailed("execution", f"its result can't be sent: {error}"))

    def fail(self, number: int, error: BaseException) -> None:
        """Send the error of a call."""
        self.send({"op": "reply", "id": number, "error": error_data(error)})

    def ask(self, call: Running, method: str, given: Mapping[str, Any], piece: Callable[[Any], None] | None = None,
            stop: threading.Event | None = None) -> Any:  # fmt: skip
        """Send a call's request to the kernel, and wait for the answer in this thread.

        Raises:
            InarchError: The kernel's error.
        """
        call.check()
        call.flush()
        queue: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
        number = self._asking(call, method, given, queue.put)
        try:
            while True:
                try:
                    message = queue.get(timeout=_LOOK_S if stop is not None else None)
                except Empty:
                    if stop is not None and stop.is_set():
                        self.send({"op": "stop", "id": call.id, "ask": number})
                        stop = None
                    continue
                if message["op"] != "piece":
                    return self._answer(message)
                if piece is not None:
                    piece(message["value"])
        finally:
            del self._asked[number]

    async def ask_async(self, call: Running, method: str, given: Mapping[str, Any]) -> Any:
        """Send a call's request to the kernel, and await the answer.

        Raises:
            InarchError: The kernel's error.
        """
        import asyncio

        call.check()
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        number = self._asking(call, method, given, lambda message: loop.call_soon_threadsafe(queue.put_nowait, message))
        try:
            return self._answer(await queue.get())
        finally:
            del self._asked[number]

    def heard(self, message: Mapping[str, Any]) -> None:
        """Deliver an answer to its request."""
        waiting = self._asked.get(message["ask"])
        if waiting is not None:
            waiting(message)

    def _asking(self, call: Running, method: str, given: Mapping[str, Any], hear: Callable[..., Any]) -> int:
        number = next(self._ids)
        self._asked[number] = hear
        try:
            self.send({"op": "ask", "id": call.id, "ask": number, "method": method, "args": given})
        except BaseException:
            del self._asked[number]
            raise
        return int(number)

    def _answer(self, message: Mapping[str, Any]) -> Any:
        if "error" in message:
            raise error_from(message["error"], self.plugin, "tool")
        return message.get("value")


@define(eq=False, repr=False)
class Running:
    """A call that runs in the child."""

    id: int
    cancelled: threading.Event = field(factory=threading.Event)
    stop: Callable[[], object] = lambda: None
    emitter: Emitter | None = None

    def check(self) -> None:
        """Raise unless the call may still act.

        Raises:
            Cancelled: It may not.
        """
        if self.cancelled.is_set():
            raise Cancelled("the call is over: it was cancelled or timed out")

    def flush(self) -> None:
        """Send the collected live output."""
        if self.emitter is not None:
            self.emitter.flush()

    def cancel(self) -> None:
        """Signal the call to stop."""
        self.cancelled.set()
        self.stop()


@define(eq=False, repr=False)
class Emitter:
    """Collector of one call's live output: pieces close in time travel as one message, in order.

    The rest is sent within a moment, and in any case before the call ends. The caller of `add` waits until the kernel
    has taken earlier output.
    """

    _line: Line
    _call: Running
    _pieces: list[str] = field(factory=list)
    _size: int = 0
    _sent: float = 0.0
    _timed: bool = False
    _lock: threading.RLock = field(factory=threading.RLock)

    def add(self, piece: str) -> None:
        """Add a piece."""
        with self._lock:
            self._pieces.append(piece)
            self._size += len(piece)
            if self._size >= MOST_TOGETHER or time.monotonic() - self._sent > _TOGETHER_S:
                self.flush()
            elif not self._timed:
                self._timed = True
                timer = threading.Timer(_TOGETHER_S, self._late)
                timer.daemon = True
                timer.start()

    def flush(self) -> None:
        """Send the collected output."""
        with self._lock:
            if not self._pieces:
                return
            text, self._pieces, self._size = "".join(self._pieces), [], 0
            for at in range(0, len(text), MOST_TOGETHER):  # the length of waiting output is limited as well
                self._line.ask(self._call, "context.emit", {"chunk": text[at : at + MOST_TOGETHER]})
            self._sent = time.monotonic()

    def _late(self) -> None:
        with self._lock:
            self._timed = False
            try:
                self.flush()
            except Cancelled:
                pass  # nothing watches any more
