"""Output that a person watches and output that is too long for a message: coalesced, capped, kept whole elsewhere."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from inarch_lib.secrets.cuts import end_from
from inarch_lib.secrets.secret_names import LONGEST
from inarch_sdk.short_data import measured

LONGEST_RESULT = 60_000
"""Characters above which a result is kept whole as a blob and shown with head and tail."""
MOST_LIVE = 64_000
"""Characters of live output that are shown of one call."""
COALESCE_S = 0.1


@define(eq=False, repr=False)
class LiveOutput:
    """Live output of one call: chunks may come from any thread, `show` is called on the loop, ten times a second."""

    show: Callable[[str], None]
    loop: asyncio.AbstractEventLoop
    _chunks: list[str] = field(init=False, factory=list)
    _room: int = field(init=False, default=MOST_LIVE)
    _is_over: bool = field(init=False, default=False)
    _timer: asyncio.TimerHandle | None = field(init=False, default=None)
    _armed: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def add(self, chunk: str) -> None:
        """Take a chunk; beyond the cap it is dropped, and that is said once."""
        with self._lock:
            if self._is_over or not chunk:
                return
            # What is beyond the cap is shown to the end of its line or word: half a secret would not be known as one.
            end = end_from(chunk, max(self._room, 0), LONGEST + min(self._room, 0))
            self._chunks.append(chunk[:end])
            self._room -= end
            if end < len(chunk):
                self._is_over = True
                self._chunks.append("\n… further live output is not shown\n")
            armed, self._armed = self._armed, True
        if not armed:
            try:
                self.loop.call_soon_threadsafe(self._arm)
            except RuntimeError:
                pass  # the loop is closed: nobody watches any more

    def flush(self) -> None:
        """Show what has come; on the loop only."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        with self._lock:
            text = "".join(self._chunks)
            self._chunks.clear()
            self._armed = False
        if text:
            self.show(text)

    def _arm(self) -> None:
        if self._chunks:
            self._timer = self.loop.call_later(COALESCE_S, self.flush)


def whole_text(data: Any) -> str:
    """Return the text to keep of a long result: its one long string where there is one, else its JSON."""
    if isinstance(data, str):
        return data
    if isinstance(data, Mapping):
        strings = [value for value in data.values() if isinstance(value, str)]
        longest = max(strings, key=len, default="")
        if len(longest) * 10 >= measured(data) * 8:
            return longest
    return json.dumps(data, ensure_ascii=False, indent=1)
