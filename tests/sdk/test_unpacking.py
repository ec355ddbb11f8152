"""Bodies of answers that unpack to more than came over the wire, and streams without an end."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import zlib
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import HttpService, ProviderError, body_pieces
from inarch.testing import HttpReply, HttpServer
from inarch_sdk.sse import LONGEST, Lines, TooLong, Unpacking

READER = """
import asyncio, resource, sys
from inarch import HttpService, ProviderError
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)
async def read(path):
    async with asyncio.timeout(60):
        service = HttpService("svc", sys.argv[1])
        return await service.get(path) if path == "/get" else [one async for one in service.stream(path, b"{}")]
before = peak()
for path in ("/get", "/stream", "/error"):
    try:
        asyncio.run(read(path))
    except ProviderError as error:
        print(error.kind, end=" ")
print(peak() - before)
"""


@given(st.binary(max_size=3000), st.sampled_from(["gzip", "x-gzip", "deflate", "raw", ""]), st.integers(1, 500))
def test_what_a_server_compressed_comes_out_as_it_was(data: bytes, kind: str, size: int) -> None:
    if kind in ("gzip", "x-gzip"):
        packed = gzip.compress(data)
    elif kind == "raw":  # some servers leave the frame of zlib out
        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = packer.compress(data) + packer.flush()
    else:
        packed = zlib.compress(data) if kind == "deflate" else data
    unpacking = Unpacking("deflate" if kind == "raw" else kind)
    pieces = [packed[place : place + size] for place in range(0, len(packed), size)]
    assert b"".join(piece for one in pieces for piece in unpacking.pieces(one)) == data


def test_a_bomb_takes_some_times_the_bound_in_a_stream_a_listing_and_an_error() -> None:
    body = gzip.compress(gzip.compress(b"data: " + b"\0" * 300_000_000, 1))
    headers = {"content-encoding": "gzip, gzip", "content-type": "text/event-stream"}
    routes = {
        "GET /get": HttpReply([body], headers=headers),
        "POST /stream": HttpReply([body], headers=headers),
        "POST /error": HttpReply([body], 503, headers),
    }
    with HttpServer(routes=routes) as server:
        ran = subprocess.run([sys.executable, "-c", READER, server.url], capture_output=True, text=True, check=True)
    *kinds, grown = ran.stdout.split()
    assert kinds == ["network", "network", "server"]
    assert int(grown) < 4 * LONGEST


async def _read(url: str) -> bytes:
    async with httpx2.AsyncClient() as client, client.stream("GET", url) as response:
        return b"".join([piece async for piece in body_pieces(response)])


@given(st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd", "identity", "GZIP", "x", ""]), max_size=3))
def test_one_coding_is_undone_and_every_other_refused(codings: list[str]) -> None:
    coding = ", ".join(codings)
    pack: Any = {"gzip": gzip.compress, "GZIP": gzip.compress, "deflate": zlib.compress}.get(coding, bytes)
    with HttpServer([HttpReply([pack(b"words")], headers={"content-encoding": coding})]) as server:
        if coding.strip() in ("", "identity", "gzip", "GZIP", "deflate"):
            assert asyncio.run(_read(server.url)) == b"words"
        else:
            with pytest.raises(httpx2.DecodingError, match="not asked for"):
                asyncio.run(_read(server.url))


@pytest.mark.parametrize("line", [b"data: " + b"x" * 1000, b"strange" * 100])
def test_an_event_of_lines_without_an_end_is_too_long(line: bytes) -> None:
    lines = Lines()
    with pytest.raises(TooLong):
        for _ in range(LONGEST // len(line) // 100 + 1):
            lines.read([line] * 101)


@pytest.mark.parametrize("headers", [{"content-encoding": "br"}, {"content-length": "100"}])
def test_an_error_is_its_status_whatever_its_body_is(headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch_sdk.service.ERROR_S", 0.2)
    with (
        HttpServer([HttpReply([b"busy"], 503, headers, "silent")]) as server,
        pytest.raises(ProviderError, match=r"svc answered 503") as caught,
    ):
        asyncio.run(HttpService("svc", server.url).get("/"))
    assert caught.value.kind == "server"
