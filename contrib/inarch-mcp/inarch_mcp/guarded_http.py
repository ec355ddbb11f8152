"""HTTP for logins: https or this machine only, no redirects, no private addresses, short answers.

The addresses come from servers, so they may lead anywhere.
"""

from __future__ import annotations

import asyncio
import socket

import httpx2

import inarch
from inarch_mcp.server_limits import PLAIN, bounded

LARGEST = 1 << 20
"""Largest answer in bytes."""
WAIT_S = 30.0


class Unsafe(inarch.InarchError):
    """An address that a login must not use."""


def guarded(server_url: str) -> httpx2.AsyncClient:
    """Return a client for the requests of one server's login.

    It may reach private addresses only if the server itself has one. It uses no proxy, because a proxy would choose
    the address.
    """

    async def limited(response: httpx2.Response) -> None:
        await bounded(response, LARGEST)

    hooks = {"response": [limited]}
    return httpx2.AsyncClient(transport=_Guarded(server_url), headers=PLAIN, timeout=WAIT_S, event_hooks=hooks)


def check(url: str) -> None:
    """Check that an address is https, or http on this machine.

    Raises:
        Unsafe: It is not.
    """
    try:
        parts = httpx2.URL(url)
    except (httpx2.InvalidURL, TypeError):
        raise Unsafe(f"the login leads to {url[:200]!r}, which is not an address") from None
    is_here = parts.scheme == "http" and inarch.hosts.is_loopback(parts.host)
    if (parts.scheme != "https" and not is_here) or not parts.host or parts.userinfo:
        raise Unsafe(f"the login leads to {_shown(parts)}, which is neither https nor on this machine")


class _Guarded(httpx2.AsyncHTTPTransport):
    """Connects to the checked address, so that a second look-up cannot lead elsewhere."""

    def __init__(self, server_url: str) -> None:
        # A kept connection belongs to an address, which several hosts may share.
        super().__init__(trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0))
        self._server = httpx2.URL(server_url)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        check(str(url))
        found = await _addresses(url)
        if not all(map(_is_foreign, found)) and url.host != self._server.host and await self._refuses(found):
            raise Unsafe(f"the login leads to {_shown(url)}, an address inside your network")
        pinned = httpx2.Request(
            request.method,
            url.copy_with(host=str(found[0])),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": url.host},
        )
        return await super().handle_async_request(pinned)

    async def _refuses(self, found: list[inarch.hosts.Address]) -> bool:
        """Return whether a server may not lead to these addresses inside the network."""
        # Clouds give machines their secrets at link-local addresses.
        return any(one.is_link_local for one in found) or all(map(_is_foreign, await _addresses(self._server)))


def _is_foreign(address: inarch.hosts.Address) -> bool:
    return inarch.hosts.is_public(address) and not inarch.hosts.is_own(address)


async def _addresses(url: httpx2.URL) -> list[inarch.hosts.Address]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(url.host, url.port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError(f"{url.host} can't be found: {error.strerror or error}") from error
    return [inarch.hosts.address_of(str(one[4][0])) for one in found]


def _shown(url: httpx2.URL) -> str:
    return inarch.escape(f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}"[:200], keep_newlines=False)
