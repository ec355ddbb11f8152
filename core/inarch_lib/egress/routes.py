"""Where a request may go: a listed host, at an address that is judged when it is connected to."""

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
"""At least, for each of several addresses: one to which nothing leads keeps the others from being tried no longer."""
_MOST_ADDRESSES = 8
_MOST_TOLD = {"reached": 100, "refused": 50}
"""Different hosts of which is told; a program could ask for any number, and nobody listens before it has ended."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Told = Callable[[str, str], None]


class Refused(Exception):
    """A request that is not carried out.

    Args:
        status: What the client is answered.
        why: In words of a letter or header: no line ends.
    """

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Target(NamedTuple):
    """What a request names."""

    host: str | Address
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if isinstance(self.host, IPv6Address) else f"{self.host}:{self.port}"

    @classmethod
    def read(cls, authority: str, usual: int = 0) -> Target:
        """Read `host:port`; `usual` is the port where none is named, 0 where one must be.

        Raises:
            Refused: It is something else.
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
    """A connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def finish(self, within: float) -> None:
        """Close it once what was written has gone, or after so many seconds."""
        self.writer.close()
        try:
            async with asyncio.timeout(within):
                await self.writer.wait_closed()
        except OSError:  # it broke off, or nobody takes the rest
            pass
        finally:
            self.writer.transport.abort()


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as this machine finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host.encode(), port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]


class Routes:
    """Connects to what is listed."""

    def __init__(self, hosts: Hosts, told: Told, resolve: Resolve = resolved) -> None:
        self._hosts = hosts
        self._told = told
        self._resolve = resolve
        self._known: dict[str, set[tuple[str, str]]] = {"reached": set(), "refused": set()}

    async def connect(self, target: Target) -> Stream:
        """Connect to what a request names.

        Raises:
            Refused: It may not be reached, or can't be.
        """
        try:
            if not self._hosts.name(*target):
                raise Refused(403, f"it is not among what may be reached ({_listed(self._hosts.listed)})")
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
        kind = "refused" if why else "reached"  # counted apart: no refusals take the place of what was reached
        known = self._known[kind]
        if (name, why) not in known and len(known) < _MOST_TOLD[kind]:
            known.add((name, why))
            self._told(name, why)


async def _first(addresses: Sequence[Address], port: int) -> Stream:
    """Connect to the first address that answers; the address itself, so that nothing is looked up a second time."""
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
