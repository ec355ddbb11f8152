"""The body of an HTTP answer in small pieces: a few bytes on the wire may unpack to gigabytes."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    import httpx2

ACCEPTED_ENCODING = "gzip"
"""The `Accept-Encoding` of requests whose answers `body_pieces` reads."""
LARGEST_PIECE = 1 << 16
_HEADER = 2
"""Bytes that say whether what follows has the frame of zlib."""


async def body_pieces(response: httpx2.Response) -> AsyncGenerator[bytes]:
    """Yield the unpacked body of a streamed answer, in pieces of at most 64 KiB; the caller bounds their sum.

    Requests send `Accept-Encoding: gzip`. One coding is undone, `gzip` or `deflate`; any other or a second one is
    refused, since packing twice turns kilobytes into gigabytes.

    Raises:
        httpx2.DecodingError: The body has another coding, or is not what its coding says.
        httpx2.HTTPError: It broke off.
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
    """Return at most `most` bytes of a body, those that come within some seconds and before it breaks off."""
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
    """A body that is unpacked while it comes.

    Args:
        coding: Its `Content-Encoding`: empty, `identity`, `gzip`, `x-gzip` or `deflate`.
    """

    coding: str
    _inflating: zlib._Decompress | None = field(init=False, default=None)
    _head: bytes = field(init=False, default=b"")

    @property
    def has_trailer(self) -> bool:
        """Whether bytes came after the end of what is packed."""
        return self._inflating is not None and bool(self._inflating.unused_data)

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        """Yield what these bytes unpack to.

        Raises:
            zlib.error: They do not have the coding.
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
        """Return how zlib reads it: some servers send what they call deflate without the frame of zlib."""
        if "gzip" in self.coding:
            return zlib.MAX_WBITS | 16
        first, second = self._head[:_HEADER]
        is_framed = first & 15 == zlib.DEFLATED and (first << 8 | second) % 31 == 0
        return zlib.MAX_WBITS if is_framed else -zlib.MAX_WBITS
