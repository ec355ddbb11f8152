"""What an address may answer: as much as a message may have, and plain. A body without an end costs its call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from inarch_mcp.stdio import LONGEST_LINE

PLAIN = {"accept-encoding": "identity"}
"""Headers of each request: a body that is compressed can be far longer than it looks."""


async def bounded(response: httpx2.Response) -> None:
    """Limit the body of a response, before anything of it is read; of events each has its own limit.

    Raises:
        httpx2.RemoteProtocolError: It is compressed, which it was not to be.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise httpx2.RemoteProtocolError(f"it sent an answer in {coding[:40]!r}, which was not asked for")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > LONGEST_LINE:
                raise httpx2.StreamError(f"it sent a message of more than {LONGEST_LINE >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
