"""The proxy before a development page: what passes and what doesn't, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from inarch_web.pointing.frame_addresses import PageAddress
from inarch_web.pointing.frame_server import Framed, serving
from inarch_web.pointing.proxy import PICKER
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from .pages import FRAMER, Page, client, framed, served

HTML = ("text/html; charset=utf-8", "<!doctype html><title>Shop</title><p>Hello")
INTO_THE_FRAME = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate"}
BIG = 40_000_000


async def test_the_page_is_served_with_the_picker_in_front_and_asks_for_nothing_compressed() -> None:
    page = Page({"/": HTML, "/a.txt": ("text/plain", "<!doctype html>")})
    async with framed(page.app()) as there, client(there) as http:
        answer = await http.get("/?q=1", headers=INTO_THE_FRAME)
        assert answer.text.startswith(f'<!doctype html><script src="{PICKER}" nonce="')
        assert answer.text.endswith("</script><title>Shop</title><p>Hello")
        assert f"frame-ancestors {FRAMER} {there.origin}" in answer.headers["content-security-policy"]
        assert page.seen[0].headers["accept-encoding"] == "identity" and page.seen[0].url.query == "q=1"
        assert (await http.get("/", headers={"accept": "text/html"})).text == HTML[1], (
            "what scripts fetch stays as it is"
        )
        assert (await http.get("/a.txt", headers=INTO_THE_FRAME)).text == "<!doctype html>"
        picker = await http.get(PICKER)
        assert FRAMER in picker.text and "INARCH_ORIGIN" not in picker.text
        assert [request.url.path for request in page.seen] == ["/", "/", "/a.txt"], (
            "the picker is not asked of the server"
        )


async def test_the_server_sees_nothing_of_inarchs_page() -> None:
    page = Page({"/": HTML})
    async with framed(page.app()) as there, client(there) as http:
        headers = {**INTO_THE_FRAME, "referer": f"{FRAMER}/", "x-forwarded-for": "1.2.3.4"}
        await http.get("/", headers=headers)
        await http.post("/", content=b"x", headers={"origin": there.origin, "referer": f"{there.origin}/a"})
        first, second = (dict(request.headers) for request in page.seen)
        origin = there.addresses.page.origin
        assert FRAMER not in str(first) and "referer" not in first and "origin" not in first
        assert first["host"] == there.addresses.page.authority and first["sec-fetch-site"] == "none"
        assert (second["origin"], second["referer"]) == (origin, f"{origin}/a")
        assert there.addresses.frame.host not in str([first, second])
        assert page.said == [b"x"]


@pytest.mark.parametrize(
    ("headers", "wrong"),
    [
        ({"host": "localhost:{port}"}, "no such page"),
        ({"host": "127.0.0.1:{port}"}, "no such page"),
        ({"host": "evil.example:{port}"}, "no such page"),
        ({"sec-fetch-site": "none", "sec-fetch-dest": "document"}, "for the frame"),
        ({"sec-fetch-site": "cross-site", "sec-fetch-dest": "script"}, "not from the page itself"),
        ({"sec-fetch-site": "same-site", "sec-fetch-dest": "empty"}, "not from the page itself"),
        ({"origin": "http://evil.example"}, "not from the page itself"),
        ({"origin": FRAMER}, "not from the page itself"),
        ({"origin": "null", "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe"}, "not from the page itself"),
        ({"service-worker": "script"}, "service workers"),
        ({"sec-fetch-dest": "serviceworker"}, "service workers"),
    ],
)
async def test_who_is_not_the_frame_is_not_answered(headers: dict[str, str], wrong: str) -> None:
    page = Page({"/": HTML})
    async with framed(page.app()) as there, client(there) as http:
        port = str(there.addresses.frame.port)
        answer = await http.get("/", headers={name: value.replace("{port}", port) for name, value in headers.items()})
        assert (answer.status_code, page.seen) == (403, [])
        assert wrong in answer.text
        answer = await http.post("/", content=b"pay", headers=INTO_THE_FRAME)  # a form of another page
        assert (answer.status_code, page.seen) == (403, [])


@pytest.mark.parametrize("more", [{}, {"upgrade": "websocket", "connection": "Upgrade"}])
@pytest.mark.parametrize("target", ["@127.0.0.1:{port}/", "http://127.0.0.1:{port}/", "x", "*"])
async def test_a_target_that_names_another_host_reaches_none(target: str, more: dict[str, str]) -> None:
    page, other = Page({"/": HTML}), Page({"/": HTML})
    async with framed(page.app()) as there, served(other.app()) as elsewhere:
        key = {"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13"} if more else {}
        origin = {"host": there.addresses.frame.authority, "origin": there.origin, "connection": "close"}
        reader, writer = await asyncio.open_connection("127.0.0.1", there.addresses.frame.port)
        lines = [f"{name}: {value}\r\n" for name, value in {**origin, **more, **key}.items()]
        writer.write(
            f"GET {target.format(port=elsewhere.rpartition(':')[2])} HTTP/1.1\r\n{''.join(lines)}\r\n".encode()
        )
        first = await asyncio.wait_for(reader.read(12), 30)
        writer.close()
        assert other.seen == [] and first[9:12] not in (b"101", b"200")


async def test_redirects_stay_in_the_frame_and_are_not_followed() -> None:
    async def answer(request: Request) -> Response:
        where = {"/in": str(request.base_url) + "there", "/out": "http://198.51.100.1/", "/rel": "/there"}
        return Response(status_code=302, headers={"location": where[request.url.path]})

    async with framed(Starlette(routes=[Route("/{rest:path}", answer)])) as there, client(there) as http:
        found = {path: (await http.get(path)).headers["location"] for path in ("/in", "/out", "/rel")}
        assert found == {"/in": f"{there.origin}/there", "/out": "http://198.51.100.1/", "/rel": "/there"}


async def test_cookies_are_the_frames_alone_and_none_is_kept_by_the_proxy() -> None:
    async def answer(request: Request) -> Response:
        made = PlainTextResponse(request.headers.get("cookie", "none"))
        made.set_cookie("sid", "1", domain="localhost", httponly=True)
        return made

    async with framed(Starlette(routes=[Route("/", answer)])) as there, client(there) as http:
        first = await http.get("/")
        assert first.headers["set-cookie"] == "sid=1; HttpOnly; Path=/; Secure; SameSite=None; Partitioned"
        http.cookies.clear()
        assert (await http.get("/")).text == "none"
        assert (await http.get("/", headers={"cookie": "a=b"})).text == "a=b"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_a_server_that_compresses_all_the_same_is_understood_or_left_alone(encoding: str) -> None:
    packed = gzip.compress(HTML[1].encode()) if encoding == "gzip" else zlib.compress(HTML[1].encode())

    async def answer(request: Request) -> Response:
        return Response(packed, media_type="text/html", headers={"content-encoding": encoding})

    async with framed(Starlette(routes=[Route("/", answer)])) as there, client(there) as http:
        async with http.stream("GET", "/", headers=INTO_THE_FRAME) as response:
            raw = b"".join([piece async for piece in response.aiter_raw()])
        if encoding == "br":
            assert (raw, response.headers["content-encoding"]) == (packed, "br")
        else:
            assert PICKER.encode() in raw and raw.endswith(b"Hello") and "content-encoding" not in response.headers


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_event_stream_comes_while_it_is_said_and_ends_when_nobody_listens(method: str) -> None:
    more, ended = asyncio.Event(), asyncio.Event()

    async def events() -> AsyncIterator[bytes]:
        try:
            yield b"data: 1\n\n"
            await more.wait()
            yield b"data: 2\n\n"
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def answer(request: Request) -> Response:
        return StreamingResponse(events(), media_type="text/event-stream")

    async with framed(Starlette(routes=[Route("/", answer, methods=["GET", "POST"])])) as there, client(there) as http:
        body = b"asked" if method == "POST" else None
        async with http.stream(method, "/", content=body) as response, asyncio.timeout(60):
            pieces = response.aiter_raw()
            assert await anext(pieces) == b"data: 1\n\n"
            more.set()
            assert await anext(pieces) == b"data: 2\n\n"
        async with asyncio.timeout(60):
            await ended.wait()


async def test_a_big_file_passes_whole_in_ranges_and_both_ways(tmp_path: Path) -> None:
    big = tmp_path / "big.bin"
    big.write_bytes(bytes(range(256)) * (BIG // 256))
    digest = hashlib.sha256(big.read_bytes()).hexdigest()

    async def answer(request: Request) -> Response:
        if request.method == "GET":
            return FileResponse(big)
        found = hashlib.sha256()
        async for piece in request.stream():
            found.update(piece)
        return PlainTextResponse(found.hexdigest())

    async def pieces() -> AsyncIterator[bytes]:  # sent in chunks, without a length
        with big.open("rb") as file:
            while piece := file.read(1 << 20):
                yield piece

    async with framed(Starlette(routes=[Route("/", answer, methods=["GET", "PUT"])])) as there, client(there) as http:
        found = hashlib.sha256()
        async with http.stream("GET", "/") as response:
            async for piece in response.aiter_raw():
                found.update(piece)
        assert found.hexdigest() == digest
        part = await http.get("/", headers={"range": "bytes=1000-1009"})
        assert (part.status_code, part.content) == (206, big.read_bytes()[1000:1010])
        assert part.headers["content-range"] == f"bytes 1000-1009/{BIG}"
        assert (await http.put("/", content=pieces())).text == digest


async def test_a_server_that_is_not_there_is_told_and_looked_for_again() -> None:
    async with served(Starlette()) as origin:
        pass
    async with serving(PageAddress.read(origin), FRAMER) as there, client(there) as http:
        answer = await http.get("/", headers=INTO_THE_FRAME)
        assert answer.status_code == 502 and answer.headers["refresh"] == "2"
        assert f"Nothing answers at {origin}" in answer.text


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_it_answers_on_loopback_alone() -> None:
    async with framed(Page({}).app()) as there:
        listening = [line.split()[1] for line in open_ports() if line.split()[3] == "0A"]
        (address,) = [one for one in listening if int(one.partition(":")[2], 16) == there.addresses.frame.port]
        assert address.startswith("0100007F:")


def open_ports() -> list[str]:
    return Path("/proc/net/tcp").read_text().splitlines()[1:]


def socket_of(there: Framed, origin: str, host: str = "", path: str = "/hmr?token=1") -> connect:
    authority = host or there.addresses.frame.authority
    return connect(
        f"ws://{authority}{path}",
        host="127.0.0.1",
        port=there.addresses.frame.port,
        origin=Origin(origin),
        subprotocols=[Subprotocol("vite-hmr")],
        proxy=None,
        max_size=None,
        additional_headers={"cookie": "a=b"},
    )


async def test_a_socket_passes_both_ways_with_its_protocol() -> None:
    page = Page({})
    async with framed(page.app()) as there, socket_of(there, there.origin) as socket:
        assert socket.subprotocol == "vite-hmr"
        for data in ("hello", b"\0\1", "x" * 1_000_000):
            await socket.send(data)
            assert await socket.recv() == data
        (seen,) = page.sockets
        assert seen.headers["origin"] == there.addresses.page.origin
        assert seen.headers["host"] == there.addresses.page.authority
        assert (seen.url.path, seen.url.query, seen.headers["cookie"]) == ("/hmr", "token=1", "a=b")
        await socket.send("leave")
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 3001, "how the server ended it"


@pytest.mark.parametrize("who", ["origin", "host", "framer"])
async def test_a_socket_of_another_page_is_not_opened(who: str) -> None:
    page = Page({})
    async with framed(page.app()) as there:
        origin = {"origin": "http://evil.example", "framer": FRAMER}.get(who, there.origin)
        host = f"localhost:{there.addresses.frame.port}" if who == "host" else ""
        with pytest.raises(InvalidStatus) as told:
            async with socket_of(there, origin, host):
                pass
        assert (told.value.response.status_code, page.sockets) == (403, [])


async def test_a_socket_of_a_server_that_is_gone_is_refused() -> None:
    async with served(Starlette()) as origin:
        pass
    async with serving(PageAddress.read(origin), FRAMER) as there:
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            async with socket_of(there, there.origin) as socket:
                await socket.recv()
