"""One service over HTTP, for model providers: JSON in, JSON or a stream of JSON out, every failure a `ProviderError`.

The wires of the shipped providers stand on this, and a provider of your own can: it knows time limits, server-sent
events, the table of errors, and that a key must appear nowhere.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.capabilities import Renews, able
from inarch.contract.errors import InarchError, ProviderError
from inarch_lib.output.escapes import shown
from inarch_sdk.http_errors import from_response, provider_error
from inarch_sdk.sse import ACCEPTED_ENCODING, LONGEST, TooLong, Unfinished, beginning, events, whole

if TYPE_CHECKING:
    import httpx2

LONGEST_ERROR = 1 << 16
"""Bytes of a failed response's body that are looked at."""
ERROR_S = 10.0
"""Seconds that it may take to come."""
DRAIN_S = 0.05
"""Seconds that the end of a response may take once everything in it has come."""
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.I)
_LOOPBACK = re.compile(r"https?://(localhost|127\.[\d.]+|\[::1\])(:|/|$)", re.I)


def bearer_of(environ: Mapping[str, str], name: str) -> Callable[[], str]:
    """Return a callable that gives `Bearer TOKEN` for a variable of `PluginContext.environ` that may expire.

    It is meant for `HttpService.authorize`: a token that a sign-in gave is renewed shortly before it expires.
    """
    renewing = able(environ, Renews)
    return lambda: f"Bearer {renewing.renewed(name) if renewing is not None else environ[name]}"


@define(eq=False, repr=False)
class HttpService:
    """HTTP client for one base address, with the same headers and reused connections.

    Args:
        name: How messages call the service.
        base_url: What paths are appended to; it comes from code or the user's configuration, never from a project.
        headers: Sent with every request, the key among them.
        connect_s: Seconds a connection may take.
        silence_s: Seconds without a byte after which a response is given up.
        authorize: Returns the value of `Authorization`; called in a thread before each request, for what expires.
    """

    name: str
    base_url: str
    headers: Mapping[str, str] = field(factory=dict)
    connect_s: float = 10.0
    silence_s: float = 120.0
    authorize: Callable[[], str] | None = None
    _authorization: str = field(init=False, default="")
    _client: httpx2.AsyncClient | None = field(init=False, default=None)
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _closing: AsyncGenerator[None] | None = field(init=False, default=None)

    async def get(self, path: str) -> Any:
        """Return the JSON that a GET answers.

        Raises:
            ProviderError: It failed.
        """
        async with self._sent("GET", path, None) as response:
            return self._parsed(await whole(response))

    async def form(self, path: str, fields: Mapping[str, str]) -> Any:
        """POST fields as a form and return the JSON that comes back, None for an empty body.

        Raises:
            ProviderError: It failed.
        """
        from urllib.parse import urlencode

        async with self._sent(
            "POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded"
        ) as response:
            body = await whole(response)
            return self._parsed(body) if body.strip() else None

    async def stream(self, path: str, body: bytes) -> AsyncGenerator[Any]:
        """POST a JSON body and yield each JSON value of the server-sent events that come back.

        A response that is no event stream but one JSON value is yielded as the only one. The word `[DONE]` ends the
        stream; the caller knows by its own means whether all has come.

        Raises:
            ProviderError: It failed, or what came is neither.
        """
        async with aclosing(self.batches(path, body)) as batches:
            async for values in batches:
                for value in values:
                    yield value

    async def batches(self, path: str, body: bytes) -> AsyncGenerator[list[Any]]:
        """Do the same, but yield the values that arrived together in one list: a burst costs little more than one.

        Raises:
            ProviderError: As `stream`; what came before it was yielded.
        """
        async with self._sent("POST", path, body) as response, aclosing(events(response)) as received:
            async for together in received:
                has_ended = b"[DONE]" in together
                if has_ended:
                    del together[together.index(b"[DONE]") :]
                values: list[Any] = []
                try:
                    self._parse(together, values)
                except ProviderError as error:
                    if values:
                        yield values
                    raise error from None
                if values:
                    yield values
                if has_ended:
                    await _drained(received)
                    return

    def error(self, data: Any) -> ProviderError:
        """Return the error that data in the midst of a stream or in a good response stands for."""
        return provider_error(self.name, None, {}, data, self.hide)

    def hide(self, text: str) -> str:
        """Return text without the secrets among the headers."""
        for secret in self._secrets():
            text = text.replace(secret, "‹key›")
        return text

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        closing, self._closing, self._client = self._closing, None, None
        if closing is not None and self._loop is asyncio.get_running_loop():
            await closing.aclose()

    @property
    def address(self) -> str:
        """The base address as it may be shown: without a password."""
        return shown(re.sub(r"//[^/@]*@", "//", self.base_url))

    @property
    def is_local(self) -> bool:
        """Whether the service runs on this machine."""
        return _LOOPBACK.match(self.address) is not None

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, body: bytes | None, kind: str = "application/json"
    ) -> AsyncIterator[httpx2.Response]:
        import httpx2

        client = await self._opened()
        headers = {"content-type": kind} if body is not None else {}
        if self.authorize is not None:
            headers["authorization"] = await self._authorized(self.authorize)
        try:
            url = self.base_url.rstrip("/") + path
            async with client.stream(method, url, content=body, headers=headers) as answer:
                if answer.status_code >= 300:
                    said = await beginning(answer, LONGEST_ERROR, ERROR_S)
                    raise from_response(self.name, answer.status_code, answer.headers, said, self.hide)
                yield answer
        except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
            raise self._no_address() from None
        except httpx2.HTTPError as error:
            from inarch_sdk.connection_errors import connection_error

            raise connection_error(self, error) from None
        except TooLong:
            raise ProviderError("malformed", f"{self.name} sent more than {LONGEST} bytes in one piece") from None

    async def _authorized(self, authorize: Callable[[], str]) -> str:
        try:
            self._authorization = await asyncio.to_thread(authorize)
        except ProviderError:
            raise
        except InarchError as error:
            raise ProviderError("auth", error.message, remedy=error.remedy, was_sent=False) from None
        self._check_headers({"authorization": self._authorization})
        return self._authorization

    async def _opened(self) -> httpx2.AsyncClient:
        """Return the client of the running loop; connections of another loop are of no use."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._check_headers(self.headers)
            self._check_port()
            self._loop, self._client = loop, self._made_or_explained()
            self._closing = _closed_with_the_loop(self._client)
            await anext(self._closing)
        return self._client

    def _made_or_explained(self) -> httpx2.AsyncClient:
        import httpx2

        try:
            return self._made()
        except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:  # certificates or a proxy of no use
            from inarch_sdk.connection_errors import setup_error

            raise setup_error(self, error) from None

    def _made(self) -> httpx2.AsyncClient:
        """Make a client; an SSL context costs more than a whole request, and a plain address has no use for one."""
        import httpx2

        timeout = httpx2.Timeout(self.silence_s, connect=self.connect_s)
        headers = {"user-agent": "inarch", "accept-encoding": ACCEPTED_ENCODING, **self.headers}
        if self.is_local:  # nothing of this machine goes through a proxy
            verify = httpx2.create_ssl_context() if self.base_url.startswith("https:") else False
            return httpx2.AsyncClient(headers=headers, timeout=timeout, verify=verify, trust_env=False)
        from urllib.request import getproxies

        secure = not self.base_url.startswith("http:") or bool(getproxies())
        return httpx2.AsyncClient(headers=headers, timeout=timeout, verify=secure)

    def _check_headers(self, headers: Mapping[str, str]) -> None:
        """Refuse what no header can hold before a library quotes it in an error."""
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):
                message = f"the header {name} of {self.name} would hold characters that no header can"
                raise ProviderError("auth", message, remedy="check the key: it is one line of plain letters")

    def _check_port(self) -> None:
        """Refuse a port that there can't be: the operating system would find out, with an error of its own."""
        from urllib.parse import urlsplit

        try:
            urlsplit(self.base_url).port  # noqa: B018  # it is looked at for the error
        except ValueError:
            raise self._no_address() from None

    def _no_address(self) -> ProviderError:
        message = f"{self.address!r} is no http:// or https:// address for {self.name}"
        return ProviderError("request", message, remedy="correct its base_url", was_sent=False)

    def _secrets(self) -> list[str]:
        named = [value for name, value in self.headers.items() if _SECRET_HEADER.search(name)]
        within = re.findall(r"//([^/@]*)@", self.base_url)
        named.append(self._authorization)
        words = {word for value in named for word in value.split()} | {
            part for one in within for part in one.split(":")
        }
        return sorted((word for word in words if len(word) >= 6 and word != "Bearer"), key=len, reverse=True)

    def _parse(self, events: list[bytes], values: list[Any]) -> None:
        """Add the values of some events: with one call of the parser where each has one value."""
        if len(events) > 1:
            try:
                found = json.loads(b"[%b]" % b",".join(events))
            except (ValueError, RecursionError):
                found = []
            if len(found) == len(events):
                values += found
                return  # else it is said of each what it is
        for data in events:
            values += [self._parsed(data)] if b"\n" not in data else self._several(data)

    def _several(self, data: bytes) -> list[Any]:
        """Return the values of an event of several lines: one value, or, from careless servers, one a line."""
        try:
            return [json.loads(data)]
        except (ValueError, RecursionError):
            return [self._parsed(line) for line in data.split(b"\n") if line.strip() not in (b"", b"[DONE]")]

    def _parsed(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError:
            if isinstance(data, Unfinished):
                message = f"{self.name} broke the connection off in the middle of an event"
                raise ProviderError("malformed", message, retryable=True) from None
            said = shown(self.hide(data[:2_000].decode("utf-8", "replace")))[:80]
            raise ProviderError(
                "malformed", f"{self.name} answered with what is no JSON: {said!r}", retryable=True,
                remedy="check that its address is the one of an API",
            ) from None  # fmt: skip
        except RecursionError:
            raise ProviderError(
                "malformed", f"{self.name} answered with JSON nested too deeply", retryable=True
            ) from None


async def _drained(received: AsyncIterator[list[bytes]]) -> None:
    """Read on to the end, which most often is there: only then is the connection free for the next request."""
    import httpx2

    try:
        async with asyncio.timeout(DRAIN_S):
            async for _ in received:
                pass
    except (TimeoutError, httpx2.HTTPError):
        pass  # everything that counts has come


async def _closed_with_the_loop(client: httpx2.AsyncClient) -> AsyncGenerator[None]:
    """Wait for the end: a loop that shuts down ends its generators, so no connection outlives its loop."""
    try:
        yield
    finally:
        await client.aclose()
