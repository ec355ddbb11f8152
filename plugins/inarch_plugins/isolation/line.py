"""The child's end of the pipe: sends messages, and asks the kernel while a call runs."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

from attrs import define, field

from inarch import Cancelled, ToolFailed
from inarch_plugins.isolation.failures import error_data, error_from
from inarch_plugins.isolation.wire import LONGEST, encoded


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

    def ask(
        self, call: Running, method: str, given: Mapping[str, Any], piece: Callable[[Any], None] | None = None
    ) -> Any:
        """Send a call's request to the kernel, and wait for the answer in this thread.

        Raises:
            InarchError: The kernel's error.
        """
        call.check()
        queue: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
        number = self._asking(call, method, given, queue.put)
        try:
            while (message := queue.get())["op"] == "piece":
                if piece is not None:
                    piece(message["value"])
            return self._answer(message)
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

    def check(self) -> None:
        """Raise unless the call may still act.

        Raises:
            Cancelled: It may not.
        """
        if self.cancelled.is_set():
            raise Cancelled("the call is over: it was cancelled or timed out")

    def cancel(self) -> None:
        """Signal the call to stop."""
        self.cancelled.set()
        self.stop()
