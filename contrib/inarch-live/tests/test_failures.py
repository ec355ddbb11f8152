"""What goes wrong on the way to a service is told with what to do, and the key is nowhere in it."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import TracebackType
from typing import Any

import pytest
from inarch_live.port import ConnectionEnded, LiveProvider, LiveSetup
from inarch_live.testing import GeminiServer, LiveServer, OpenAIServer
from inarch_live.testing.servers import QUIET
from inarch_live.wires import sockets
from inarch_live.wires.gemini import GeminiLive
from inarch_live.wires.openai_realtime import OpenAIRealtime
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from inarch import ProviderError

from .contract import run, upto

KEY = "sk-live-0123456789-abcdefghij"
PROVIDERS: list[Callable[[str], LiveProvider]] = [
    lambda url: GeminiLive(KEY, url),
    lambda url: OpenAIRealtime(KEY, url),
]
SERVERS: list[type[LiveServer[Any]]] = [GeminiServer, OpenAIServer]


def hidden(error: BaseException) -> str:
    """Return everything that anybody could show of an error: words, causes, frames with all that stands in them."""
    said: list[str] = []
    seen: list[BaseException] = []
    while error not in seen:
        seen.append(error)
        said += [repr(error), str(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error)]
        said += [repr(value) for frame in frames(error.__traceback__) for value in frame.items()]
        error = error.__cause__ or error.__context__ or error
    return "\n".join(said)


def frames(trace: TracebackType | None) -> list[dict[str, Any]]:
    """Return the locals of the frames of a trace that are not this test's own."""
    found = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            found.append(dict(trace.tb_frame.f_locals))
        trace = trace.tb_next
    return found


def refused(provider: LiveProvider) -> ProviderError:
    """Return why there is no connection."""
    found: list[ProviderError] = []

    async def connecting() -> None:
        try:
            await provider.connect(LiveSetup())
        except ProviderError as error:
            found.append(error)

    run(connecting())
    assert found, "it was connected"
    assert "abcdefghij" not in hidden(found[0])
    return found[0]


@asynccontextmanager
async def answering(data: bytes) -> AsyncIterator[str]:
    """Serve a port that says something to whoever comes, and hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(data)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def told_by(data: bytes, of: Callable[[str], LiveProvider], address: str = "http://{}") -> ProviderError:
    """Return the error of a connection to a port that answers so."""
    found: list[ProviderError] = []

    async def connecting() -> None:
        async with answering(data) as place:
            try:
                await of(address.format(place)).connect(LiveSetup())
            except ProviderError as error:
                found.append(error)

    run(connecting())
    assert "abcdefghij" not in hidden(found[0])
    return found[0]


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Any:
    """The key is in no log, however much is logged."""
    caplog.set_level(logging.DEBUG)
    yield
    assert "abcdefghij" not in caplog.text


@pytest.mark.parametrize("of", PROVIDERS)
def test_a_port_where_nobody_listens(of: Callable[[str], LiveProvider]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = refused(of(f"http://127.0.0.1:{port}"))
    assert (error.kind, error.retryable) == ("network", True)
    assert "start the server" in str(error)


@pytest.mark.parametrize("of", PROVIDERS)
@pytest.mark.parametrize("address", ["", "ftp://x", "https://", "http://127.0.0.1:99999", "nonsense", "https://[::1"])
def test_an_address_that_is_none_is_named(of: Callable[[str], LiveProvider], address: str) -> None:
    error = refused(of(address))
    assert "base_url" in str(error)


@pytest.mark.parametrize("of", PROVIDERS)
def test_a_certificate_that_nobody_trusts_or_no_tls_at_all(of: Callable[[str], LiveProvider]) -> None:
    error = told_by(b"HTTP/1.1 400 Bad Request\r\n\r\n", of, "https://{}")
    assert error.kind == "network"


@pytest.mark.parametrize("of", PROVIDERS)
@pytest.mark.parametrize("status", [302, 307])
async def test_no_redirect_is_followed_with_the_key(of: Callable[[str], LiveProvider], status: int) -> None:
    asked: list[Request] = []

    def elsewhere(connection: ServerConnection, request: Request) -> Response:
        asked.append(request)
        response = connection.respond(HTTPStatus(status), "")
        response.headers["Location"] = f"ws://127.0.0.1:{connection.local_address[1]}/elsewhere"
        return response

    async def handler(connection: ServerConnection) -> None:
        raise AssertionError

    async with serve(handler, "127.0.0.1", 0, process_request=elsewhere, logger=QUIET) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        with pytest.raises(ProviderError, match="redirects are not followed"):
            await of(f"http://127.0.0.1:{port}").connect(LiveSetup())
    assert len(asked) == 1


@pytest.mark.parametrize("of", PROVIDERS)
async def test_a_proxy_that_refuses_is_named(
    of: Callable[[str], LiveProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("wss_proxy", "all_proxy", "no_proxy", "NO_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    found: list[ProviderError] = []

    async with answering(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n") as place:
        monkeypatch.setenv("https_proxy", f"http://user:pass-abcdefghij@{place}")
        try:
            await of("https://live.example.org").connect(LiveSetup())
        except ProviderError as error:
            found.append(error)
    assert "HTTPS_PROXY" in str(found[0])
    assert "abcdefghij" not in hidden(found[0])


def test_a_key_that_is_no_key() -> None:
    for key in ("sk-ab\ncdefghij", "sk-äbcdefghij", "sk-\x00abcdefghij"):
        assert refused(OpenAIRealtime(key)).kind == "auth"
        assert refused(GeminiLive(key)).kind == "auth"


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize(
    ("code", "reason", "kind", "retryable"),
    [
        (1008, f"API key not valid: {KEY}. Please pass a valid API key.", "auth", False),
        (3000, "invalid_request_error.invalid_api_key", "auth", False),
        (1008, "models/x is not found for API version v1beta, or is not supported for bidiGenerateContent", "request",
            False),
        (1007, "Request contains an invalid argument.", "request", False),
        (1011, "You exceeded your current quota, please check your plan", "quota", False),
        (1011, "Internal error encountered.", "server", True),
        (1001, "", "server", True),
        (1012, "service restart", "server", True),
    ],
)  # fmt: skip
async def test_what_a_service_says_at_the_end_is_told_as_what_it_is(
    server: type[LiveServer[Any]], code: int, reason: str, kind: str, retryable: bool
) -> None:
    async with server() as service:
        connection = await service.provider(KEY).connect(LiveSetup())
        there = await service.connection()
        closing = asyncio.create_task(there.close(code, reason))
        ended = (await upto(aiter(connection), ConnectionEnded))[-1]
        await closing
        assert isinstance(ended, ConnectionEnded)
        assert ended.error is not None
        assert (ended.error.kind, ended.error.retryable) == (kind, retryable)
        assert reason.partition(KEY)[0] in ended.error.message
        assert KEY not in hidden(ended.error)
        assert KEY not in repr(connection) + repr(service.provider(KEY))


@pytest.mark.parametrize("server", SERVERS)
async def test_the_key_is_in_a_header_and_in_no_address(server: type[LiveServer[Any]]) -> None:
    async with server() as service:
        connection = await service.provider(KEY).connect(LiveSetup())
        there = await service.connection()
        assert KEY not in there.path
        assert sum(KEY in value for value in there.headers.values()) == 1
        await connection.aclose()


@pytest.mark.parametrize("server", SERVERS)
async def test_a_service_that_is_silent_in_the_handshake_or_for_long(
    server: type[LiveServer[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that answers no ping is gone; one that answers may be silent for as long as it likes."""
    monkeypatch.setattr(sockets, "PING_S", 0.05)

    async with server() as service:
        connection = await service.provider().connect(LiveSetup())
        there = await service.connection()
        events = aiter(connection)
        waiting = asyncio.create_task(upto(events, ConnectionEnded))
        await asyncio.wait([waiting], timeout=0.5)
        assert not waiting.done()
        there.socket.transport.pause_reading()
        ended = (await waiting)[-1]
        assert isinstance(ended, ConnectionEnded)
        assert ended.error is not None
        assert (ended.error.kind, ended.error.retryable) == ("timeout", True)


@pytest.mark.parametrize("of", PROVIDERS)
async def test_a_service_that_says_nothing_to_the_setup(
    of: Callable[[str], LiveProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "OPEN_S", 0.05)

    async def silent(connection: ServerConnection) -> None:
        await connection.wait_closed()

    async with serve(silent, "127.0.0.1", 0, logger=QUIET) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        with pytest.raises(ProviderError) as raised:
            await of(f"http://127.0.0.1:{port}").connect(LiveSetup())
        assert raised.value.kind == "timeout"
        assert "abcdefghij" not in hidden(raised.value)
