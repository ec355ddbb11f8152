"""Output that a person watches and output that is too long for a message: coalesced, capped, kept whole elsewhere."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from attrs import define, field

from inarch_sdk.cuts import end_from
from inarch_secrets.names import LONGEST

LONGEST_RESULT = 60_000
"""Characters above which a result is kept whole as a blob and shown with head and tail."""
KEPT = 40_000
"""Characters of a long result that stay in it."""
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


def shortened(data: Any, ref: str, room: int = KEPT) -> Any:
    """Return `data` in the same shape with about `room` characters: head and tail of what is long.

    A text that was cut says so in its middle, a list leaves items out; nothing else changes.
    """
    if isinstance(data, str):
        return _cut_text(data, ref, room)
    if isinstance(data, list):
        return _cut_list(data, ref, room)
    if isinstance(data, Mapping):
        return _cut_members(data, ref, room)
    return data


def measured(data: Any) -> int:
    """Return about how many characters plain data has as JSON, escapes not counted; much cheaper than encoding it.

    Raises:
        ValueError: It has a number that JSON can't say.
    """
    cls = type(data)
    if cls is str:
        return len(data) + 2
    if cls is dict:
        return 2 + sum(len(name) + 4 + measured(value) for name, value in data.items())
    if cls is list:
        return 2 + sum(map(measured, data)) + len(data)
    if cls is float and not isfinite(data):
        raise ValueError(f"{data} is no JSON number")
    return len(str(data))


def _cut_text(text: str, ref: str, room: int) -> str:
    if len(text) <= room:
        return text
    head, tail = room * 3 // 4, room // 4
    left = len(text) - head - tail
    whole = f'the whole is output_ref "{ref}"' if ref else "the whole could not be kept"
    return f"{text[:head]}\n… {left} characters left out, {whole} …\n{text[len(text) - tail :]}"


def _cut_list(items: list[Any], ref: str, room: int) -> list[Any]:
    if measured(items) <= room:
        return items
    largest = max(room // 4, 1)
    head = _fitting(items, ref, room * 3 // 4, largest)
    tail = _fitting(items[len(head) :][::-1], ref, room // 4, largest)
    return head + tail[::-1]


def _fitting(items: list[Any], ref: str, room: int, largest: int) -> list[Any]:
    taken: list[Any] = []
    for item in items:
        small = shortened(item, ref, largest)
        room -= measured(small)
        if room < 0:
            break
        taken.append(small)
    return taken


def _cut_members(data: Mapping[str, Any], ref: str, room: int) -> dict[str, Any]:
    """Give each member a fair share: small ones stay whole and leave their rest to the long ones."""
    result = dict(data)
    sizes = {name: measured(value) for name, value in data.items()}
    left = len(sizes)
    for name in sorted(sizes, key=lambda name: sizes[name]):
        share = room // left
        if sizes[name] > share:
            result[name] = shortened(data[name], ref, share)
        room -= min(sizes[name], share)
        left -= 1
    return result
