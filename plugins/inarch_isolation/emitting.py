"""Live output of a call on its way out of a child: pieces that come close together travel as one message, in order."""

from __future__ import annotations

import threading
import time

from attrs import define, field

from inarch import Cancelled
from inarch_isolation.line import Line, Running

_TOGETHER_S = 0.01
_MOST = 1 << 14


@define(eq=False, repr=False)
class Emitter:
    """Collects the pieces of one call. What is left is sent within a moment, and before the call ends in any case."""

    _line: Line
    _call: Running
    _pieces: list[str] = field(factory=list)
    _size: int = 0
    _sent: float = 0.0
    _timed: bool = False
    _lock: threading.RLock = field(factory=threading.RLock)

    def add(self, piece: str) -> None:
        """Take a piece; waits while the kernel has not taken much that was sent before."""
        with self._lock:
            self._pieces.append(piece)
            self._size += len(piece)
            if self._size >= _MOST or time.monotonic() - self._sent > _TOGETHER_S:
                self.flush()
            elif not self._timed:
                self._timed = True
                timer = threading.Timer(_TOGETHER_S, self._late)
                timer.daemon = True
                timer.start()

    def flush(self) -> None:
        """Send what was collected."""
        with self._lock:
            if not self._pieces:
                return
            text, self._pieces, self._size = "".join(self._pieces), [], 0
            for at in range(0, len(text), _MOST):  # what waits to be shown is limited by its length as well
                while not self._call.room.acquire(timeout=0.2):
                    self._call.check()
                self._line.send({"op": "item", "id": self._call.id, "value": text[at : at + _MOST]})
            self._sent = time.monotonic()

    def _late(self) -> None:
        with self._lock:
            self._timed = False
            try:
                self.flush()
            except Cancelled:
                pass  # nobody watches any more
