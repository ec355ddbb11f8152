"""A WebSocket to a live service: JSON objects both ways, and every failure a `ProviderError` without the key.

The key goes into a header of the first request. Three measures keep it out of other places:

- New errors replace those of the library, without a reference to them.
- The library's debug log is off, because it contains all headers.
- Redirects are not followed, because the new address would get the key.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from attrs import define, field
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    ProxyError,
    WebSocketException,
)

from inarch import HttpService, ProviderError, provider_error

LARGEST_MESSAGE = 16 * 2**20
"""Most bytes of one message; a minute of speech in base64 takes 4 MB."""
OPEN_S = 10.0
"""Most seconds to connect with the handshake, and for the service to accept the setup."""
PING_S = 20.0
"""Seconds without traffic before a ping, and most seconds until its answer."""
CLOSE_S = 1.0

_QUIET = logging.Logger("inarch_live.sockets", logging.CRITICAL + 1)
_PROXY = "check HTTPS_PROXY, or name the host in NO_PROXY"
_STATUS_OF_WORDS = (
    (("api key", "api_key", "credential", "unauthenticated", "permission"), 401),
    (("not found", "not_found", "not supported for bidi"), 404),
    (("quota", "rate limit", "rate_limit", "resource_exhausted", "resource exhausted"), 429),
)  # fmt: skip


class _ToOneAddress(connect):
    """A connection that does not follow redirects."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


@define(eq=False, repr=False)
class Socket:
    """One open connection to a service; `service` contains name, address and key."""

    service: HttpService
    key_name: str
    _connection: ClientConnection
    _is_closing: bool = field(init=False, default=False)

    @classmethod
    async def open(cls, service: HttpService, path: str, key_name: str) -> Socket:
        """Connect to `path` of the service.

        Args:
            service: Address and headers.
            path: Path to append to the base address, without secrets.
            key_name: The variable of the key, named in errors if the service rejects the key.

        Raises:
            ProviderError: The connection failed.
        """
        opened = await _opened(service, path, key_name)
        if isinstance(opened, ProviderError):
            raise opened
        return cls(service, key_name, opened)

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. If the connection has ended, do nothing: reading reports the reason."""
        try:
            await self._connection.send(json.dumps(message, separators=(",", ":")))
        except ConnectionClosed:
            pass

    async def messages(self) -> AsyncGenerator[dict[str, Any]]:
        """Yield messages until either side ends the connection normally.

        Raises:
            ProviderError: The connection broke or was refused, or a message is not a JSON object.
        """
        while True:
            data = await self._received()
            if isinstance(data, ProviderError):
                raise data
            if data is None:
                return
            yield self.parsed(data)

    async def answer_to_setup(self, messages: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
        """Return the next message, which answers the setup.

        Raises:
            ProviderError: No message arrives.
        """
        name = self.service.name
        try:
            async with asyncio.timeout(OPEN_S):
                message = await anext(messages, None)
        except TimeoutError:
            raise ProviderError(
                "timeout", f"{name} said nothing to the setup for {OPEN_S:g} s", retryable=True
            ) from None
        if message is None:
            raise ProviderError("server", f"{name} ended the connection instead of accepting the setup", retryable=True)
        return message

    def error(self, data: Any) -> ProviderError:
        """Return the error described by a message."""
        return _with_key(self.service.error(data), self.key_name)

    async def aclose(self) -> None:
        """Close the connection; may be called twice."""
        self._is_closing = True
        await self._connection.close()

    def parsed(self, data: bytes) -> dict[str, Any]:
        """Return a parsed message.

        Raises:
            ProviderError: The data is not a JSON object.
        """
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict):
            return message
        said = self.service.hide(data[:80].decode("utf-8", "replace"))
        raise ProviderError(
            "malformed", f"{self.service.name} sent what is no JSON object: {said!r}", retryable=True,
            remedy="check that its address is the one of its live service",
        )  # fmt: skip

    async def _received(self) -> bytes | ProviderError | None:
        try:
            return await self._connection.recv(decode=False)
        except ConnectionClosed as closed:
            return None if self._is_closing else _ended(self.service, self.key_name, closed)


async def _opened(service: HttpService, path: str, key_name: str) -> ClientConnection | ProviderError:
    if not all(value.isascii() and value.isprintable() for value in service.headers.values()):
        message = f"the key of {service.name} has characters that no key has"
        return ProviderError("auth", message, remedy=f"{key_name} is one line of plain letters", was_sent=False)
    scheme, _, place = service.base_url.rstrip("/").partition("://")
    scheme = {"http": "ws", "https": "wss"}.get(scheme.lower(), scheme)
    try:
        return await _ToOneAddress(
            f"{scheme}://{place}{path}",
            additional_headers=service.headers,
            user_agent_header="inarch",
            compression=None,  # base64 of audio hardly compresses, and decompression has no limit
            proxy=None if service.is_local else True,  # local services need no proxy
            open_timeout=OPEN_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_S,
            max_size=LARGEST_MESSAGE,
            logger=_QUIET,
        )
    except (OSError, WebSocketException, ImportError, ValueError) as error:
        return _unopened(service, key_name, error)


_UNREACHED = "{name} can't be reached at {where}: {error}"
_UNOPENED: tuple[tuple[Any, Any, bool, str, str], ...] = (
    ((ProxyError, InvalidProxy), "network", True, "the proxy leads to no {name}", _PROXY),
    (ssl.SSLCertVerificationError, "network", False, _UNREACHED, "check the base_url, the clock and the certificate"),
    (TimeoutError, "timeout", True, "{name} could not be reached at {where}", "check the connection"),
    (OSError, "network", True, _UNREACHED, "start the server, or check the connection and the base_url"),
    ((InvalidURI, ValueError), "request", False, "{where!r} is no wss:// or https:// address", "correct its base_url"),
    (ImportError, "network", False, "{name} is behind a SOCKS proxy", "pip install python-socks"),
    (Exception, "malformed", False, "what answers at {where} is no WebSocket service", "correct the base_url"),
)  # fmt: skip


def _unopened(service: HttpService, key_name: str, error: Exception) -> ProviderError:
    """Return the error for a failed connection, without text of `error` that may contain an address."""
    if isinstance(error, InvalidStatus):
        return _refused(service, key_name, error)
    kind, retryable, words, remedy = next(row[1:] for row in _UNOPENED if isinstance(error, row[0]))
    said = service.hide(str(error)) if "{error}" in words else ""
    message = words.format(name=service.name, where=service.address, error=said)
    return ProviderError(kind, message, retryable=retryable, remedy=remedy, was_sent=False)


def _refused(service: HttpService, key_name: str, error: InvalidStatus) -> ProviderError:
    response = error.response
    headers = {name.lower(): value for name, value in response.headers.raw_items()}
    try:
        data = json.loads(response.body or b"")
    except (ValueError, RecursionError):
        data = bytes(response.body or b"")[:2_000].decode("utf-8", "replace")
    return _with_key(provider_error(service.name, response.status_code, headers, data, service.hide), key_name)


def _with_key(error: ProviderError, key_name: str) -> ProviderError:
    return error.with_text(remedy=f"check the key in {key_name}") if error.kind == "auth" else error


def _ended(service: HttpService, key_name: str, closed: ConnectionClosed) -> ProviderError | None:
    """Return the error for the end of a connection, None for a normal end."""
    name = service.name
    ours, theirs = closed.sent, closed.rcvd
    if ours is not None and not closed.rcvd_then_sent:
        if ours.code == 1009:
            message = f"{name} sent a message of more than {LARGEST_MESSAGE >> 20} MB"
            return ProviderError("too_long", message, remedy="begin a new session", retryable=True)
        if ours.code == 1011:  # the keepalive timed out
            return ProviderError("timeout", f"{name} said nothing for {2 * PING_S:g} s", retryable=True)
        return ProviderError("malformed", f"{name} sent what is no WebSocket message", retryable=True)
    if theirs is None:
        return ProviderError(
            "network", f"{name} broke the connection off", retryable=True, remedy="check the connection"
        )
    return closing_error(service, key_name, theirs.code, theirs.reason)


def closing_error(service: HttpService, key_name: str, code: int, reason: str) -> ProviderError | None:
    """Return the error for a close code and reason, None for a normal end (1000)."""
    if code == 1000:
        return None
    words = reason.lower()
    unwell = 503 if code in (1001, 1006, 1011, 1012, 1013, 1014) else 400
    status = next((number for known, number in _STATUS_OF_WORDS if any(word in words for word in known)), unwell)
    error = _with_key(provider_error(service.name, status, {}, reason, service.hide), key_name)
    said = f": {service.hide(reason)}" if reason else ""
    return error.with_text(f"{service.name} ended the connection ({code}){said}")
