"""Scripted HTTP server on loopback, for tests of model providers."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

from attrs import define, field, frozen

Ending = Literal["whole", "cut", "reset", "silent", "nothing"]
Chunk = bytes | float
"""Bytes to write at once, or seconds to wait."""


@frozen
class HttpRequest:
    """Received request; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's JSON."""
        return json.loads(self.body)


@frozen
class HttpReply:
    """Reply of the server to one request.

    Args:
        chunks: The body: bytes to write, and pauses in seconds.
        status: The status of the response.
        headers: Headers that add to or replace the server's own.
        ending: `whole` ends the response normally, `cut` closes the connection early, and `reset` resets it. `silent`
            sends nothing more until the server is closed. `nothing` closes without an answer.
    """

    chunks: Sequence[Chunk] = ()
    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    ending: Ending = "whole"


Answer = HttpReply | Callable[[HttpRequest], HttpReply]


def json_reply(data: Any, status: int = 200, **headers: str) -> HttpReply:
    """Return a reply of JSON; `_` in header names becomes `-`."""
    return HttpReply([json.dumps(data).encode()], status, {"content-type": "application/json", **_dashed(headers)})


def sse_reply(events: Iterable[Any], *, done: bool = True, ending: Ending = "whole") -> HttpReply:
    """Return a stream of server-sent events; events without a pause between them are written at once.

    Args:
        events: Values to send as JSON. Bytes are sent unchanged, and a float is a pause in seconds.
        done: Whether `[DONE]` ends it.
        ending: As for `HttpReply`.
    """
    chunks: list[bytearray | float] = []
    for event in [*events, b"data: [DONE]\n\n"] if done else events:
        if isinstance(event, float):
            chunks.append(event)
            continue
        piece = event if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() + b"\n\n"
        if chunks and isinstance(chunks[-1], bytearray):
            chunks[-1].extend(piece)
        else:
            chunks.append(bytearray(piece))
    pieces = [chunk if isinstance(chunk, float) else bytes(chunk) for chunk in chunks]
    return HttpReply(pieces, 200, {"content-type": "text/event-stream"}, ending)


ASIDE = ("/props", "/api/ps", "/api/v0/models")
"""Path suffixes by which clients identify llama.cpp, Ollama and LM Studio."""


@define(eq=False, repr=False)
class HttpServer:
    """Server that answers the n-th request with the n-th reply and repeats the last one; a context manager.

    `routes` (`"GET /v1/models"` to a reply) take precedence and do not use up the script. `requests` stores all
    requests, routes included, and `connections` counts connections. Requests that only identify the server (`ASIDE`)
    are answered with 404 and not counted, unless there is a route. `port` 0 means any free port.
    """

    replies: Sequence[Answer] = ()
    routes: Mapping[str, Answer] = field(factory=dict)
    port: int = 0
    requests: list[HttpRequest] = field(init=False, factory=list)
    connections: int = field(init=False, default=0)
    closed: threading.Event = field(init=False, factory=threading.Event)
    _taken: int = field(init=False, default=0)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _server: _Listener | None = field(init=False, default=None)
    _thread: threading.Thread | None = field(init=False, default=None)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        if self._server is None:
            raise RuntimeError("the server is not started: use it in a with statement")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> HttpServer:
        self._server = _Listener(("127.0.0.1", self.port), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed.set()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.hang_up()
            self._server.server_close()

    def reply_to(self, request: HttpRequest) -> HttpReply:
        """Return the script's next reply or the route's; 404 if there is none."""
        with self._lock:
            answer = self.routes.get(f"{request.method} {request.path}")
            if answer is None and request.method == "GET" and request.path.endswith(ASIDE):
                return json_reply({"error": {"message": f"there is no {request.path}"}}, 404)
            self.requests.append(request)
            if answer is None and self.replies:
                answer = self.replies[min(self._taken, len(self.replies) - 1)]
                self._taken += 1
        if answer is None:
            return json_reply({"error": {"message": f"no reply to {request.method} {request.path}"}}, 404)
        return answer(request) if callable(answer) else answer


class _Listener(ThreadingHTTPServer):
    daemon_threads = False  # non-daemon threads are joined: no socket outlives a test

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close open connections, so that their threads end."""
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the client closed it first

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: many scripts include clients that disconnect."""


def _handler_of(server: HttpServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = 1 << 16  # head and first chunk leave in one write

        def setup(self) -> None:
            server.connections += 1
            super().setup()

        def handle_any(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = HttpRequest(self.command, self.path, headers, self.rfile.read(length))
            _perform(self, server.reply_to(request), server.closed)

        do_GET = do_POST = do_DELETE = handle_any

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler


def _perform(handler: BaseHTTPRequestHandler, reply: HttpReply, closed: threading.Event) -> None:
    if reply.ending == "nothing":
        handler.close_connection = True
        return
    at_once = all(isinstance(chunk, bytes) for chunk in reply.chunks) and reply.ending == "whole"
    own = {"content-type": "text/plain"}
    if at_once:
        own["content-length"] = str(sum(len(chunk) for chunk in reply.chunks if isinstance(chunk, bytes)))
    else:
        own["transfer-encoding"] = "chunked"
    handler.send_response(reply.status)
    for name, value in {**own, **{name.lower(): value for name, value in reply.headers.items()}}.items():
        handler.send_header(name, value)
    handler.end_headers()
    for chunk in reply.chunks:
        if isinstance(chunk, float):
            handler.wfile.flush()
            closed.wait(chunk)
        else:
            handler.wfile.write(chunk if at_once else b"%x\r\n%b\r\n" % (len(chunk), chunk))
            if not at_once:
                handler.wfile.flush()
    _end(handler, reply.ending, at_once, closed)


def _end(handler: BaseHTTPRequestHandler, ending: Ending, at_once: bool, closed: threading.Event) -> None:
    if ending == "whole":
        handler.wfile.write(b"" if at_once else b"0\r\n\r\n")
        handler.wfile.flush()
        return
    handler.wfile.flush()
    handler.close_connection = True
    if ending == "silent":
        closed.wait()
    elif ending == "reset":
        time.sleep(0.05)  # lets the data arrive before the reset
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()


def _dashed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
