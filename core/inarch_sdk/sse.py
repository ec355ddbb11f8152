"""Reader of response bodies: in small pieces, whole, or event by event (server-sent events).

All sizes are limited, because a few bytes may unpack to gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    import httpx2

ACCEPTED_ENCODING = "gzip"
"""The `Accept-Encoding` of requests whose responses `body_pieces` reads."""
LARGEST_PIECE = 1 << 16
_HEADER = 2
"""Bytes that show whether a zlib header follows."""


async def body_pieces(response: httpx2.Response) -> AsyncGenerator[bytes]:
    """Yield the unpacked body of a streamed response in pieces of at most 64 KiB; the caller limits their sum.

    Requests send `Accept-Encoding: gzip`. One `gzip` or `deflate` encoding is undone. Other or further encodings are
    rejected, because double compression turns kilobytes into gigabytes.

    Raises:
        httpx2.DecodingError: The body has another encoding, or invalid data.
        httpx2.HTTPError: The connection broke.
    """
    import httpx2

    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise httpx2.DecodingError(f"the body has the coding {coding[:40]!r}, which was not asked for")
    unpacking = Unpacking(coding)
    try:
        async for packed in response.aiter_raw():
            for piece in unpacking.pieces(packed):
                yield piece
            if unpacking.has_trailer:
                return
    except zlib.error as error:
        raise httpx2.DecodingError(f"the body is not {coding}: {error}") from None


async def beginning(response: httpx2.Response, most: int, seconds: float) -> bytes:
    """Return at most `most` bytes of a body that arrive within some seconds and before the connection breaks."""
    import asyncio

    import httpx2

    found = bytearray()
    with suppress(httpx2.HTTPError, TimeoutError):
        async with asyncio.timeout(seconds), aclosing(body_pieces(response)) as pieces:
            async for piece in pieces:
                found += piece
                if len(found) >= most:
                    break
    return bytes(found[:most])


@define(eq=False, repr=False)
class Unpacking:
    """Incremental decompression of a body.

    Args:
        coding: Its `Content-Encoding`: empty, `identity`, `gzip`, `x-gzip` or `deflate`.
    """

    coding: str
    _inflating: zlib._Decompress | None = field(init=False, default=None)
    _head: bytes = field(init=False, default=b"")

    @property
    def has_trailer(self) -> bool:
        """Return whether bytes followed the end of the compressed data."""
        return self._inflating is not None and bool(self._inflating.unused_data)

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        """Yield the decompressed bytes in pieces.

        Raises:
            zlib.error: The bytes do not have this encoding.
        """
        if self.coding in ("", "identity"):
            yield packed
            return
        if self._inflating is None:
            self._head += packed
            if len(self._head) < _HEADER:
                return
            self._inflating, packed, self._head = zlib.decompressobj(self._window()), self._head, b""
        piece = self._inflating.decompress(packed, LARGEST_PIECE)
        while piece:
            yield piece
            piece = self._inflating.decompress(self._inflating.unconsumed_tail, LARGEST_PIECE)

    def _window(self) -> int:
        """Return the window bits for zlib: some servers send `deflate` without the zlib header."""
        if "gzip" in self.coding:
            return zlib.MAX_WBITS | 16
        first, second = self._head[:_HEADER]
        is_framed = first & 15 == zlib.DEFLATED and (first << 8 | second) % 31 == 0
        return zlib.MAX_WBITS if is_framed else -zlib.MAX_WBITS


LONGEST = 1 << 25
"""Maximum bytes of an event or a whole body; no model's reply is longer."""
BOM = b"\xef\xbb\xbf"
"""Byte order mark that some servers send before the first event."""
_FIELDS = (b"data", b"event", b"id", b"retry", b":")


class TooLong(Exception):
    """Event or body longer than `LONGEST`."""


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
    """Yield lists of event data that arrived together; skip comments and other fields.

    A body that is not an event stream is yielded whole, whatever its content type.

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
                if b"\n" in piece:  # else wait: a line that arrives byte by byte is joined once
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
    """Data of an event without a final empty line: the stream may have ended inside it."""


@define(eq=False, repr=False)
class Lines:
    """Parser of a stream's lines that returns the data of its events."""

    _data: list[bytes] = field(init=False, factory=list)
    _strange: list[bytes] = field(init=False, factory=list)
    _any: bool = field(init=False, default=False)
    _size: int = field(init=False, default=0)

    def read(self, lines: Iterable[bytes]) -> list[bytes]:
        """Return the data of the events that these complete lines end.

        Raises:
            TooLong: The lines of one event are longer than `LONGEST` in total.
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
        """Return the event without a final empty line; without any events, return the raw body."""
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
