"""The body of a response, whole or event by event (server-sent events), within bounds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING

from attrs import define, field

from inarch_sdk.unpacking import body_pieces

if TYPE_CHECKING:
    import httpx2

LONGEST = 1 << 25
"""Bytes of the longest event of a stream and of a whole body; more is no reply of any model."""
BOM = b"\xef\xbb\xbf"
"""A mark that some servers put before the first event."""
_FIELDS = (b"data", b"event", b"id", b"retry", b":")


class TooLong(Exception):
    """An event or a body is longer than `LONGEST`."""


async def whole(response: httpx2.Response) -> bytes:
    """Return the body.

    Raises:
        TooLong: It is longer than `LONGEST`.
    """
    body = bytearray()
    async with aclosing(body_pieces(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > LONGEST:
                raise TooLong
    return bytes(body)


async def events(response: httpx2.Response) -> AsyncGenerator[list[bytes]]:
    """Yield the data of the events that came together; comments and other fields are passed over.

    A body that is no stream of events is yielded whole, whatever the response calls it.

    Raises:
        TooLong: An event or a body is longer than `LONGEST`.
    """
    lines = Lines()
    if "event-stream" in response.headers.get("content-type", ""):
        unfinished: list[bytes] = []
        size = 0
        async with aclosing(body_pieces(response)) as pieces:
            async for piece in pieces:
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
        if body.removeprefix(BOM).lstrip()[:6].startswith(_FIELDS):
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
    _size: int = field(init=False, default=0)

    def read(self, lines: Iterable[bytes]) -> list[bytes]:
        """Return the data of the events that these whole lines end.

        Raises:
            TooLong: The lines of one event are longer than `LONGEST` together.
        """
        found = []
        for line in lines:
            if line.endswith(b"\r"):
                line = line[:-1]
            if not self._any and line.startswith(BOM):
                line = line[len(BOM) :]
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
                self._size += len(line)
            elif not line:
                if self._data:
                    found.append(self._event())
            elif not self._any and not line.startswith(_FIELDS):
                self._strange.append(line)
                self._size += len(line)
        if self._size > LONGEST:
            raise TooLong
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
        self._size = 0
        return data
