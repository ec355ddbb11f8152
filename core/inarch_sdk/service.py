"""HTTP client for model providers: JSON requests, JSON or streamed replies, and `ProviderError` on failure.

The built-in providers use it, and your own can. It handles timeouts, server-sent events and the table of errors, and
never shows the key.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
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
"""Bytes of a failed response's body that are read."""
ERROR_S = 10.0
"""Timeout in seconds for such a body."""
DRAIN_S = 0.05
"""Seconds to wait for the end of a response after all its content has arrived."""
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.I)
_LOOPBACK = re.compile(r"https?://(localhost|127\.[\d.]+|\[::1\])(:|/|$)", re.I)


def bearer_of(environ: Mapping[str, str], name: str) -> Callable[[], str]:
    """Return a function that returns `Bearer TOKEN` for a variable of `PluginContext.environ` whose value may expire.

    Use it for `HttpService.authorize`: a sign-in's token is renewed shortly before it expires.
    """
    renewing = able(environ, Renews)
    return lambda: f"Bearer {renewing.renewed(name) if renewing is not None else environ[name]}"


@define(eq=False, repr=False)
class HttpService:
    """Requests to one base address with the same headers; connections are reused.

    Args:
        name: The service's name in messages.
        base_url: The prefix of paths; it comes from code or the user's configuration, never from a project.
        headers: Sent with every request, the key among them.
        connect_s: Timeout of a connection in seconds.
        silence_s: Seconds without a byte after which a response times out.
        authorize: Returns the value of `Authorization`; called in a thread before each request, for values that expire.
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
        """Return the JSON reply to a GET."""
        async with self._sent("GET", path, None) as response:
            return self._parsed(await whole(response))

    async def form(self, path: str, fields: Mapping[str, str]) -> Any:
        """POST fields as a form and return the JSON reply, None for an empty body."""
        from urllib.parse import urlencode

        async with self._sent(
            "POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded"
        ) as response:
            body = await whole(response)
            return self._parsed(body) if body.strip() else None

    async def stream(self, path: str, body: bytes) -> AsyncGenerator[Any]:
        """POST a JSON body and yield each JSON value of the server-sent events in the reply.

        If the response is a single JSON value instead of an event stream, yield that value. The word `[DONE]` ends the
        stream; the caller checks whether the reply is complete.

        Raises:
            ProviderError: The request failed, or the reply is neither.
        """
        async with aclosing(self.batches(path, body)) as batches:
            async for values in batches:
                for value in values:
                    yield value

    async def batches(self, path: str, body: bytes) -> AsyncGenerator[list[Any]]:
        """Do the same, but yield values that arrived together as one list.

        Raises:
            ProviderError: As for `stream`; earlier values were yielded.
        """
        async with self._sent("POST", path, body) as response, aclosing(events(response)) as received:
            async for together in received:
                has_ended = b"[DONE]" in together
                if has_ended:
                    del together[together.index(b"[DONE]") :]
                values: list[Any] = []
                try:
                    for data in together:
                        values += [self._parsed(data)] if b"\n" not in data else self._several(data)
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
        """Return the error that data in a stream or in a successful response describes."""
        return provider_error(self.name, None, {}, data, self.hide)

    def hide(self, text: str) -> str:
        """Redact the secrets of the headers in a text."""
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
        """The base address for messages, without a password."""
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
            raise ProviderError("malformed", f"{self.name} sent more than {LONGEST} bytes in one event") from None

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
        """Return the client of the running loop; connections of another loop cannot be used."""
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
        except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:  # unusable certificates or proxy
            from inarch_sdk.connection_errors import setup_error

            raise setup_error(self, error) from None

    def _made(self) -> httpx2.AsyncClient:
        """Create a client. Plain HTTP gets no SSL context, which takes longer to create than a whole request."""
        import httpx2

        timeout = httpx2.Timeout(self.silence_s, connect=self.connect_s)
        headers = {"user-agent": "inarch", "accept-encoding": ACCEPTED_ENCODING, **self.headers}
        if self.is_local:  # local addresses bypass proxies
            verify = httpx2.create_ssl_context() if self.base_url.startswith("https:") else False
        else:
            from urllib.request import getproxies

            verify = not self.base_url.startswith("http:") or bool(getproxies())
        with _without_http2():
            return httpx2.AsyncClient(headers=headers, timeout=timeout, verify=verify, trust_env=not self.is_local)

    def _check_headers(self, headers: Mapping[str, str]) -> None:
        """Reject values that no header can hold before a library quotes them in an error."""
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):
                message = f"the header {name} of {self.name} would contain characters that headers cannot hold"
                raise ProviderError("auth", message, remedy="check the key: it must be one line of ASCII characters")

    def _check_port(self) -> None:
        """Reject an impossible port: the operating system would raise its own error."""
        from urllib.parse import urlsplit

        try:
            urlsplit(self.base_url).port  # noqa: B018  # it is looked at for the error
        except ValueError:
            raise self._no_address() from None

    def _no_address(self) -> ProviderError:
        message = f"{self.address!r} is not an http:// or https:// address for {self.name}"
        return ProviderError("request", message, remedy="correct its base_url", was_sent=False)

    def _secrets(self) -> list[str]:
        named = [value for name, value in self.headers.items() if _SECRET_HEADER.search(name)]
        within = re.findall(r"//([^/@]*)@", self.base_url)
        named.append(self._authorization)
        words = {word for value in named for word in value.split()} | {
            part for one in within for part in one.split(":")
        }
        return sorted((word for word in words if len(word) >= 6 and word != "Bearer"), key=len, reverse=True)

    def _several(self, data: bytes) -> list[Any]:
        """Return the values of an event of several lines: one value, or one a line from sloppy servers."""
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
                "malformed", f"{self.name} did not answer with JSON: {said!r}", retryable=True,
                remedy="check that its address is that of an API",
            ) from None  # fmt: skip
        except RecursionError:
            raise ProviderError(
                "malformed", f"{self.name} answered with JSON nested too deeply", retryable=True
            ) from None


@contextmanager
def _without_http2() -> Iterator[None]:
    """Keep httpcore2 2.16 from importing h2, which LiteLLM installs: no client here speaks HTTP/2.

    The import takes a tenth of the time to a first request. Whoever needs HTTP/2 later still gets it.
    """
    is_absent = "h2" not in sys.modules
    if is_absent:
        sys.modules["h2"] = None  # type: ignore[assignment]  # an import then fails, as without the package
    try:
        yield
    finally:
        if is_absent:
            del sys.modules["h2"]


async def _drained(received: AsyncIterator[list[bytes]]) -> None:
    """Read to the end, which has usually arrived: only then can the connection be reused."""
    import httpx2

    try:
        async with asyncio.timeout(DRAIN_S):
            async for _ in received:
                pass
    except (TimeoutError, httpx2.HTTPError):
        pass  # all content has arrived


async def _closed_with_the_loop(client: httpx2.AsyncClient) -> AsyncGenerator[None]:
    """Close the client with its loop: a loop ends its generators when it shuts down."""
    try:
        yield
    finally:
        await client.aclose()
