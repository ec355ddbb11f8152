"""One connection of the confined program: its requests, each judged by itself, and tunnels."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from http import HTTPStatus

import h11

from .routes import Refused, Routes, Stream, Target

HEAD_S = 60.0
IDLE_S = 600.0
MOST_HEAD = 32 << 10
_PIECE = 1 << 16
_OF_ONE_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"proxy-authenticate", b"te", b"trailer",
    b"upgrade", b"host",
})  # fmt: skip
_BODY = frozenset({b"content-length", b"transfer-encoding"})

Headers = list[tuple[bytes, bytes]]


class Exchange:
    """Server of one connection, until no request is left; the opener closes it."""

    def __init__(self, client: Stream, routes: Routes) -> None:
        self._client = client
        self._routes = routes
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)

    async def serve(self) -> None:
        """Answer requests, one after the other; errors of the connection end it."""
        try:
            while request := await self._next_request():
                try:
                    await self._answer(request)
                except Refused as refused:
                    await self._refuse(refused)
                    return
                if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                    return
                self._http.start_next_cycle()
        except h11.RemoteProtocolError as error:
            await self._refuse(Refused(error.error_status_hint, "not a request that a proxy can carry out"))
        except (h11.LocalProtocolError, OSError, TimeoutError):
            pass  # it broke off, or is too slow

    async def _next_request(self) -> h11.Request | None:
        async with asyncio.timeout(HEAD_S):
            event = await self._next_event()
        return event if isinstance(event, h11.Request) else None

    async def _next_event(self) -> h11.Event | type[h11.PAUSED]:
        return await _next(self._http, self._client)

    async def _answer(self, request: h11.Request) -> None:
        if request.method == b"CONNECT":
            await self._tunnel(request)
            return
        authority, path = _parted(request.target)
        target = Target.read(authority, 80)
        server = await self._routes.connect(target)
        try:
            await self._forward(request, target, path, server)
        finally:
            await server.finish(IDLE_S)

    async def _tunnel(self, request: h11.Request) -> None:
        if any(name in _BODY for name, _ in request.headers):
            raise Refused(400, "CONNECT has no body")
        await self._next_event()  # the end of its head
        server = await self._routes.connect(Target.read(request.target.decode("latin-1")))
        try:
            await self._send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
            early, _ = self._http.trailing_data
            server.writer.write(early)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pipe(self._client.reader, server.writer))
                group.create_task(_pipe(server.reader, self._client.writer))
        except* (OSError, TimeoutError):
            pass
        finally:
            await server.finish(IDLE_S)

    async def _forward(self, request: h11.Request, target: Target, path: bytes, server: Stream) -> None:
        there = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEAD)
        # Send the name that was judged, whatever else the request said.
        host = (b"Host", str(target).removesuffix(":80").encode())
        headers = [host, *_passed_on(request.headers), (b"Connection", b"close")]
        await _write(server, there.send(h11.Request(method=request.method, target=path, headers=headers)))
        sending = asyncio.create_task(self._send_body(there, server))
        try:
            await self._take_response(there, server)
        finally:
            sending.cancel()
            await asyncio.wait((sending,))

    async def _send_body(self, there: h11.Connection, server: Stream) -> None:
        try:
            while isinstance(event := await self._next_event(), (h11.Data, h11.EndOfMessage)):
                await _write(server, there.send(event))
                if isinstance(event, h11.EndOfMessage):
                    return
        except h11.ProtocolError:
            server.writer.transport.abort()  # what comes is not a body, so there is no answer to wait for
        except (OSError, TimeoutError):
            pass  # it may have answered anyway

    async def _take_response(self, there: h11.Connection, server: Stream) -> None:
        begun = False
        try:
            while True:
                event = await _next(there, server)
                begun = begun or isinstance(event, h11.Response)
                await self._send(_answer_of(event))
                if isinstance(event, h11.EndOfMessage):
                    return
        except (h11.ProtocolError, OSError, TimeoutError):
            if begun:
                raise OSError("it broke off in the middle of its answer") from None
            raise Refused(502, "the server gave no answer that can be passed on") from None

    async def _send(self, event: h11.Event) -> None:
        await _write(self._client, self._http.send(event))

    async def _refuse(self, refused: Refused) -> None:
        """Answer with a status, and the reason as phrase and body: programs show one or the other."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        why = "".join(char if " " <= char <= "~" else "?" for char in f"inarch: {refused.why}")
        phrase = HTTPStatus(refused.status).phrase if refused.status in set(HTTPStatus) else "refused"
        body = f"{why}\n".encode()
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), ("Connection", "close")]
        reason = f"{phrase} ({why})".encode()
        try:
            response = h11.Response(status_code=refused.status, headers=headers, reason=reason)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                await self._send(event)
            self._client.writer.write_eof()
            await asyncio.wait_for(_drop(self._client.reader), 2)
        except (OSError, TimeoutError, h11.LocalProtocolError):
            pass


async def _next(http: h11.Connection, stream: Stream) -> h11.Event | type[h11.PAUSED]:
    while True:
        event = http.next_event()
        if event is not h11.NEED_DATA:
            return event  # type: ignore[return-value]
        async with asyncio.timeout(IDLE_S):
            http.receive_data(await stream.reader.read(_PIECE))


async def _write(stream: Stream, data: bytes | None) -> None:
    stream.writer.write(data or b"")
    async with asyncio.timeout(IDLE_S):
        await stream.writer.drain()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        async with asyncio.timeout(IDLE_S):
            piece = await reader.read(_PIECE)
        if not piece:
            writer.write_eof()
            return
        writer.write(piece)
        async with asyncio.timeout(IDLE_S):
            await writer.drain()


async def _drop(reader: asyncio.StreamReader) -> None:
    """Read pending data: if it stayed unread, closing would discard the answer."""
    while await reader.read(_PIECE):
        pass


def _parted(target: bytes) -> tuple[str, bytes]:
    scheme, found, rest = target.partition(b"://")
    if scheme.lower() != b"http" or not found or b"#" in rest:
        raise Refused(400, "only http:// addresses and CONNECT are carried out")
    end = min(at for at in (rest.find(b"/"), rest.find(b"?"), len(rest)) if at >= 0)
    path = rest[end:] or b"/"
    return rest[:end].decode("latin-1"), path if path.startswith(b"/") else b"/" + path


def _answer_of(event: h11.Event | type[h11.PAUSED]) -> h11.Event:
    if isinstance(event, (h11.Response, h11.InformationalResponse)):
        return type(event)(status_code=event.status_code, reason=event.reason, headers=_passed_on(event.headers))
    if isinstance(event, (h11.Data, h11.EndOfMessage)):
        return event
    raise OSError("it broke off")


def _passed_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers that are not about this one connection; the body's end is always declared anew."""
    every = [(name.lower(), value) for name, value in headers]
    named = {part.strip().lower() for name, value in every if name == b"connection" for part in value.split(b",")}
    dropped = (_OF_ONE_HOP | named) - _BODY
    if any(name == b"transfer-encoding" for name, _ in every):
        dropped |= {b"content-length"}  # given two declarations of an end, some readers use the one and some the other
    return [(name, value) for name, value in every if name not in dropped]
