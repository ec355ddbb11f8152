"""One call into a child as the thread sees it that waits for it: pieces, questions, and when its time is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from attrs import define, field

from inarch import Cancelled
from inarch_isolation.asked import Answers, answered
from inarch_isolation.channel import Channel, Message, PendingCall
from inarch_isolation.wire import WINDOW

STOP_S = 0.7
"""Seconds that a cancelled call has to end; the kernel abandons it after one."""
ACKNOWLEDGED = WINDOW // 4
"""After so many pieces of a reply the child is told that they were taken."""
_LOOK_S = 0.03


@define(eq=False, repr=False)
class AwaitedCall:
    """What a call's messages are done with until the one that ends it.

    However much the child sends and however slowly, cancelling and the deadline are looked at with every message.

    Args:
        plugin: Whose process it is.
        channel: The connection.
        call: The call.
        queue: What the reader has delivered.
        what: The call in words.
        seconds: After which the child is ended; None for never.
        answer: Given what the child asks for; what it returns is the answer.
        item: Given each piece of live output.
        cancelled: When it is set, the child is told, and ended if the call goes on.
    """

    plugin: str
    channel: Channel
    call: PendingCall
    queue: SimpleQueue[Message]
    what: str
    seconds: float | None
    answer: Answers | None
    item: Callable[[Any], None] | None
    cancelled: threading.Event | None
    _deadline: float | None = field(init=False, default=None)
    _stopping: bool = field(init=False, default=False)
    _taken: int = field(init=False, default=0)

    def outcome(self) -> Message:
        """Return the message that ends the call."""
        if self.seconds is not None:
            self._deadline = time.monotonic() + self.seconds
        while True:
            try:
                looks = self.cancelled is not None or self._deadline is not None
                message = self.queue.get(timeout=_LOOK_S if looks else None)
            except Empty:
                self._look()
                continue
            self._look()
            self.call.took(message)
            operation = message.get("op")
            if operation == "item":
                self._take(message)
            elif operation == "ask":
                self.channel.send(answered(self.plugin, self.call.id, message, self.answer))
            else:
                return message

    def _take(self, message: Message) -> None:
        self._taken += 1
        if self.item is not None and not self._stopping:
            try:
                self.item(message.get("value"))
            except Cancelled:  # nobody watches any more, and nothing is waited for
                self._stop()
        if self._taken % ACKNOWLEDGED == 0:
            self.channel.send({"op": "ack", "id": self.call.id, "count": ACKNOWLEDGED})

    def _look(self) -> None:
        if self.cancelled is not None and not self._stopping and self.cancelled.is_set():
            self._stop()
        if self._deadline is not None and time.monotonic() > self._deadline:
            why = "cancelled" if self._stopping else f"asked for {self.seconds:g} s"
            self.channel.give_up(f"was ended: {self.what} did not return after it was {why}")
            self._deadline = None

    def _stop(self) -> None:
        self._stopping, self._deadline = True, time.monotonic() + STOP_S
        self.channel.send({"op": "cancel", "id": self.call.id})
