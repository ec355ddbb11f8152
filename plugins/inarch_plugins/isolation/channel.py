"""The kernel's end of the pipe to one child: sends without waiting, and delivers messages to their calls."""

from __future__ import annotations

import itertools
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import Any

from attrs import define, field

from inarch_plugins.isolation.wire import LONGEST, Malformed, Messages, encoded

MOST_WAITING_BYTES = 4 * LONGEST
"""Maximum bytes of a call's unprocessed messages; a child that waits for answers never comes near."""
MOST_LATE_BYTES = 64 << 20
"""Maximum bytes of messages about ended calls, as from threads that a plugin left running."""
MOST_UNSENT = 64 << 20
"""Maximum bytes that a child may leave unread."""
_OPERATIONS = frozenset({"ask", "reply"})
_EACH = 1 << 10  # minimum size counted for a short message
_PIECE = 1 << 18
_TAIL = 4096
_FLOOD = 1 << 16
_PAUSE_S = 0.005

Message = Mapping[str, Any]


@define(eq=False, repr=False)
class PendingCall:
    """A call that runs in the child.

    Args:
        id: Its number.
        deliver: Receives each message about it, in the reader's thread.
        received: Bytes that the reader has delivered; only its thread writes it.
        taken: Bytes that were processed; only the waiting side writes it.
    """

    id: int
    deliver: Callable[[Message], None]
    received: int = 0
    taken: int = 0

    def took(self, message: Message) -> None:
        """Record that a message was processed."""
        self.taken += message.get("bytes", 0)

    def receive(self, message: dict[str, Any], size: int) -> None:
        """Deliver a message.

        Raises:
            Malformed: It is not a valid message, or too many are waiting.
        """
        if message["op"] not in _OPERATIONS:
            raise Malformed("something that is not a message")
        message["bytes"] = _EACH + size
        self.received += _EACH + size
        if self.received - self.taken > MOST_WAITING_BYTES:
            raise Malformed("more messages than were asked for")
        self.deliver(message)


@define(eq=False, repr=False)
class Channel:
    """Connection to one child.

    Args:
        reap: Ends the process, at once on request, waits for it and returns its exit code. It is called once, in the
            reader's thread.
        explain: Describes why the child ended, from its exit code, the error on the pipe and its last line.
        on_other: Receives each message that is not about a call.
    """

    _socket: socket.socket
    _stderr: int
    reap: Callable[[bool], int]
    explain: Callable[[int, str, str], str]
    on_other: Callable[[Message], None]
    reason: str = ""
    _calls: dict[int, PendingCall] = field(factory=dict)
    _ids: Any = field(factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(factory=threading.Lock)
    _outgoing: SimpleQueue[bytes | None] = field(factory=SimpleQueue)
    _unsent: int = 0
    _tail: bytearray = field(factory=bytearray)
    _fault: str = ""
    _late: int = 0
    _reader: threading.Thread | None = None
    is_open: bool = True

    def start(self) -> None:
        """Start reading and writing."""
        threading.Thread(target=self._write_all, name="inarch-isolated-writer", daemon=True).start()
        self._reader = threading.Thread(target=self._read_all, name="inarch-isolated-reader", daemon=True)
        self._reader.start()

    def join(self, seconds: float) -> None:
        """Wait until the child is gone."""
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(seconds)

    @property
    def tail(self) -> str:
        """Return the last line of the child's standard error or output."""
        return bytes(self._tail).decode("utf-8", "replace").strip().rpartition("\n")[2][:200]

    def open(self, deliver: Callable[[Message], None]) -> PendingCall:
        """Return a new call; if the child is gone already, the call gets that message at once."""
        call = PendingCall(next(self._ids), deliver)
        with self._lock:
            is_open = self.is_open
            if is_open:
                self._calls[call.id] = call
        if not is_open:
            deliver({"op": "gone"})
        return call

    def close(self, call: PendingCall) -> None:
        """Forget a call: later messages for it are ignored."""
        self._calls.pop(call.id, None)

    def knows(self, call: PendingCall) -> bool:
        """Return whether the child still has to answer the call."""
        return call.id in self._calls

    def send(self, message: Message) -> None:
        """Queue a message without waiting for the child. A child that does not read its messages is given up.

        Raises:
            TypeError: It has a value without a JSON form.
            ValueError: It refers to itself.
        """
        data = encoded(message)
        with self._lock:
            if not self.is_open:
                return
            self._outgoing.put(data)
            self._unsent += len(data)
            if self._unsent > MOST_UNSENT:
                self._fail("it does not read what it is sent")

    def give_up(self, why: str) -> None:
        """End the child for a reason that its running calls receive."""
        with self._lock:
            self._fail(why)

    def hang_up(self) -> None:
        """Close the connection; the reader ends with it."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # already shut down

    def _write_all(self) -> None:
        while (data := self._outgoing.get()) is not None:
            try:
                self._socket.sendall(data)
            except OSError:  # the reader sees the end as well and reports why
                return
            with self._lock:
                self._unsent -= len(data)

    def _fail(self, what: str) -> None:
        self._fault = self._fault or what
        self.hang_up()

    def _read_all(self) -> None:
        try:
            self._read(Messages())
        finally:
            self._end()

    def _read(self, messages: Messages) -> None:
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        poller.register(self._stderr, select.POLLIN)
        is_open = True
        while is_open:
            for descriptor, _ in poller.poll():
                if descriptor == self._stderr:
                    if not self._keep_tail():
                        poller.unregister(self._stderr)
                else:
                    is_open = self._take(messages)

    def _take(self, messages: Messages) -> bool:
        try:
            data = self._socket.recv(_PIECE)
            if not data:
                return False
            for message in messages.feed(data):
                self._dispatch(message, messages.size)
        except Malformed as error:
            self._fault = self._fault or f"it sent {error}"
            return False
        except OSError:
            return False
        return True

    def _dispatch(self, message: dict[str, Any], size: int) -> None:
        number, operation = message.get("id"), message.get("op")
        if not isinstance(operation, str) or not (number is None or type(number) is int):
            raise Malformed("something that is not a message")
        if number is None:
            self.on_other(message)
            return
        call = self._calls.get(number)
        if call is None:
            self._late += _EACH + size
            if self._late > MOST_LATE_BYTES:
                raise Malformed("more messages than were asked for")
            return
        if operation == "reply":
            del self._calls[number]
        call.receive(message, size)

    def _keep_tail(self) -> bool:
        try:
            data = os.read(self._stderr, _PIECE)
        except OSError:
            data = b""
        self._tail += data
        del self._tail[:-_TAIL]
        if len(data) >= _FLOOD:
            time.sleep(_PAUSE_S)  # an endless writer gets only the processor time that this leaves
        return bool(data)

    def _end(self) -> None:
        with self._lock:
            self.is_open = False
            self._outgoing.put(None)
            calls, self._calls = list(self._calls.values()), {}
        self._socket.close()
        code = self.reap(bool(self._fault))
        os.set_blocking(self._stderr, False)
        while self._keep_tail():
            pass
        os.close(self._stderr)
        self.reason = self.explain(code, self._fault, self.tail)
        for call in calls:
            call.deliver({"op": "gone"})
