"""Targets of requests: a listed host, at an address that is judged when connecting."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv6Address
from itertools import islice
from typing import NamedTuple

from inarch_lib.confinement.hosts import Address, Hosts, address_of, canonical, is_public, split_port

RESOLVE_S = CONNECT_S = 15.0
EACH_S = 3.0
"""Minimum seconds for each of several addresses: an unreachable one must not block the others for longer."""
_MOST_ADDRESSES = 8
_MOST_TOLD = {"reached": 100, "refused": 50}
"""Maximum different hosts in reports: a program could ask for any number, and reports are read at its end."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Told = Callable[[str, str], None]


class Refused(Exception):
    """Request that is refused."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Target(NamedTuple):
    """Target that a request names."""

    host: str | Address
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if isinstance(self.host, IPv6Address) else f"{self.host}:{self.port}"

    @classmethod
    def read(cls, authority: str, usual: int = 0) -> Target:
        """Read `host:port`; `usual` is the default port, 0 if a port is required.

        Raises:
            Refused: It has another form.
        """
        name, port = split_port(authority)
        try:
            host = canonical(name)
        except ValueError:
            raise Refused(400, "the request names no host") from None
        if not (port or usual) or (port and not (port.isascii() and port.isdigit() and len(port) < 6)):
            raise Refused(400, "the request names no port")
        return cls(host, int(port or usual))


class Stream(NamedTuple):
    """Open connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def finish(self, within: float) -> None:
        """Close it once all data was sent, or after so many seconds."""
        self.writer.close()
        try:
            async with asyncio.timeout(within):
                await self.writer.wait_closed()
        except OSError:  # it broke off, or the other side stopped reading
            pass
        finally:
            self.writer.transport.abort()


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as this machine finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host.encode(), port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]


class Routes:
    """Connector to listed hosts."""

    def __init__(self, hosts: Hosts, told: Told, resolve: Resolve = resolved) -> None:
        self._hosts = hosts
        self._told = told
        self._resolve = resolve
        self._known: dict[str, set[tuple[str, str]]] = {"reached": set(), "refused": set()}

    async def connect(self, target: Target) -> Stream:
        """Connect to the target of a request."""
        try:
            if not self._hosts.name(*target):
                raise Refused(403, f"it is not one of the reachable hosts ({_listed(self._hosts.listed)})")
            stream = await _first(await self._allowed(*target), target.port)
        except Refused as refused:
            self._tell(str(target), refused.why)
            raise Refused(refused.status, f"{target}: {refused.why}") from None
        self._tell(str(target), "")
        return stream

    async def _allowed(self, host: str | Address, port: int) -> list[Address]:
        if not isinstance(host, str):
            return [host]
        try:
            async with asyncio.timeout(RESOLVE_S):
                found = list(dict.fromkeys(map(address_of, await self._resolve(host, port))))
        except (OSError, TimeoutError, UnicodeError):
            found = []
        if not found:
            raise Refused(502, "the name can't be resolved")
        allowed = list(islice((one for one in found if self._hosts.let_reach(host, one, port)), _MOST_ADDRESSES))
        if not allowed:
            why = "this machine's own" if is_public(found[0]) else "no public address"
            raise Refused(403, f"the name leads to {found[0]}, {why}; list that as well if it is meant")
        return allowed

    def _tell(self, name: str, why: str) -> None:
        kind = "refused" if why else "reached"  # counted apart: refusals must not displace reached hosts
        known = self._known[kind]
        if (name, why) not in known and len(known) < _MOST_TOLD[kind]:
            known.add((name, why))
            self._told(name, why)


async def _first(addresses: Sequence[Address], port: int) -> Stream:
    """Connect to the first address that answers; by address, so that no second look-up happens."""
    waited = False
    for address in addresses:
        try:
            async with asyncio.timeout(max(EACH_S, CONNECT_S / len(addresses))):
                return Stream(*await asyncio.open_connection(str(address), port))
        except TimeoutError:
            waited = True
        except OSError:
            pass
    raise Refused(504, "it did not answer") if waited else Refused(502, "it can't be connected to")


def _listed(hosts: Sequence[str]) -> str:
    return ", ".join(hosts[:3]) + (", …" if len(hosts) > 3 else "")
