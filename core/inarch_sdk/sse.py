"""The body of a response, whole or event by event (server-sent events), within bounds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    import httpx

LONGEST = 1 << 25
"""Bytes of the longest line of a stream and of a whole body; more is no reply of any model."""
_FIELDS = (b"data", b"event", b"id", b"retry", b":")


class TooLong(Exception):
    """A line or a body is longer than `LONGEST`."""


async def whole(response: httpx.Response, most: int | None = None) -> bytes:
    """Return the body; with `most` its beginning.

    Raises:
        TooLong: It is longer than `LONGEST`.
    """
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if most is not None and size >= most:
            break
        if size > LONGEST:
            raise TooLong
    return b"".join(pieces)[:most]


async def events(response: httpx.Response) -> AsyncGenerator[list[bytes]]:
    """Yield the data of the events that came together; comments and other fields are passed over.

    A body that is no stream of events is yielded whole, whatever the response calls it.

    Raises:
        TooLong: A line or a body is longer than `LONGEST`.
    """
    lines = Lines()
    if "event-stream" in response.headers.get("content-type", ""):
        unfinished: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            unfinished.append(piece)
            size += len(piece)
            if b"\n" in piece:  # else wait: a line that comes byte by byte is joined once
                complete = b"".join(unfinished).split(b"\n")
                unfinished = [complete.pop()]
                size = len(unfinished[0])
                if found := lines.read(complete):
                    yield found
            if size > LONGEST:
                raise TooLong
        rest = b"".join(unfinished)
    else:
        body = await whole(response)
        if body.lstrip()[:6].startswith(_FIELDS):
            rest = body
        else:
            yield [body]
            return
    yield [*lines.read(rest.split(b"\n")), *lines.end()]


class Unfinished(bytes):
    """The data of an event that no empty line ended: the stream may have ended in its middle."""


@define(eq=False, repr=False)
class Lines:
    """Reads the lines of a stream and gives the data of its events."""

    _data: list[bytes] = field(init=False, factory=list)
    _strange: list[bytes] = field(init=False, factory=list)
    _any: bool = field(init=False, default=False)

    def read(self, lines: Iterable[bytes]) -> list[bytes]:
        """Return the data of the events that these whole lines end."""
        found = []
        for line in lines:
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif not line:
                if self._data:
                    found.append(self._event())
            elif not self._any and not line.startswith(_FIELDS):
                self._strange.append(line)
        return found

    def end(self) -> list[bytes]:
        """Return the event that no empty line ended; where none came at all, what came instead."""
        if self._data:
            return [Unfinished(self._event())]
        return [b"\n".join(self._strange)] if self._strange and not self._any else []

    def _event(self) -> bytes:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data.clear()
        self._strange.clear()
        self._any = True
        return data
