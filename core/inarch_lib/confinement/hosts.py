"""Hosts in network rights: their notation, the match of hosts and addresses, and the definition of public."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

__all__ = [
    "USUAL_PORTS",
    "Address",
    "Host",
    "Hosts",
    "address_of",
    "canonical",
    "is_host",
    "is_loopback",
    "is_own",
    "is_public",
    "read",
    "split_port",
]

Address = IPv4Address | IPv6Address

USUAL_PORTS = (80, 443)
"""Ports of a host that is listed without one."""

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LONGEST = 253
_ANY_PORT = 9
_NOT_NOW = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# Ranges that Python releases classify differently, and public addresses at which clouds give a machine its secrets.
_SPECIAL: tuple[IPv4Network | IPv6Network, ...] = (
    *map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16")),
    *map(IPv6Network, ("64:ff9b:1::/48", "100::/64", "2001::/23", "3fff::/20", "5f00::/16", "fec0::/10")),
)
# Their last 32 bits are an address: of NAT64, and of the older translation (SIIT).
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("::ffff:0:0:0/96"))


class Host(NamedTuple):
    """One entry of a list.

    Args:
        name: The name in lower case, empty for addresses.
        below: Whether it matches the names below it, and not itself.
        network: The matching addresses, None for a name.
        port: The one matching port, 0 for the usual ones.
    """

    name: str
    below: bool
    network: IPv4Network | IPv6Network | None
    port: int

    @property
    def ports(self) -> tuple[int, ...]:
        """Return the matching ports."""
        return (self.port,) if self.port else USUAL_PORTS

    def means(self, host: str | Address, port: int) -> bool:
        """Return whether a canonical host and a port match."""
        if port not in self.ports:
            return False
        if not isinstance(host, str):
            return self.network is not None and host.version == self.network.version and host in self.network
        return host.endswith(f".{self.name}") if self.below else bool(self.name) and host == self.name


def canonical(text: str) -> str | Address:
    """Return the canonical form of a host for comparisons: a name in lower case, or an address.

    Raises:
        ValueError: It is neither. An address in any other form than the usual one, such as `0x7f.1`, is refused.
    """
    if text[:1] == "[" and text[-1:] == "]" and "%" not in text:
        return _plain(IPv6Address(text[1:-1]))
    # Checked first: letters beyond ASCII have lower-case forms in it.
    name = text.lower().removesuffix(".") if text.isascii() else ""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise ValueError("not a host name")
    return IPv4Address(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def split_port(text: str) -> tuple[str, str]:
    """Return a host and the port after its colon, empty if there is none; an IPv6 address needs brackets."""
    host, colon, port = text.rpartition(":")
    return (host, port) if colon and not port.endswith("]") else (text, "")


def read(text: str) -> Host:
    """Return an entry: `host`, `*.host`, an address or a network of addresses, each with `:port` or without.

    Raises:
        ValueError: It is not an entry.
    """
    host, port = (text, "") if text.count(":") > 1 and "[" not in text else split_port(text)
    if host != text and (not _PORT.fullmatch(port) or int(port) > 65535):
        raise ValueError("no port")
    bare = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
    if "/" in bare:
        return Host("", False, ip_network(bare), int(port or 0))
    found = canonical(f"[{bare}]" if ":" in bare else host.removeprefix("*."))
    below = host.startswith("*.")
    if isinstance(found, str):
        return Host(found, below, None, int(port or 0))
    if below:
        raise ValueError("nothing is below an address")
    return Host("", False, ip_network(found), int(port or 0))


def is_host(text: str) -> bool:
    """Return whether this may appear in a list."""
    try:
        read(text)
    except ValueError:
        return False
    return True


class Hosts:
    """List of reachable hosts."""

    def __init__(self, listed: Iterable[str]) -> None:
        self.listed = tuple(listed)
        self._entries = tuple(map(read, self.listed))

    def name(self, host: str | Address, port: int) -> bool:
        """Return whether a canonical host is listed with this port."""
        return any(entry.means(host, port) for entry in self._entries)

    def let_reach(self, host: str | Address, address: Address, port: int) -> bool:
        """Return whether a host may be reached at an address: a public foreign one, or one listed itself.

        Otherwise, the owner of a name could lead to hosts that only this machine or its network can reach. A listed
        name below `localhost` may lead only to loopback.
        """
        if self.name(_plain(address), port) or (is_public(address) and not is_own(address)):
            return True
        return isinstance(host, str) and is_loopback(host) and address.is_loopback and self.name(host, port)

    def narrowed(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """Return those of other entries that are also listed here, literally or below a name."""
        return tuple(text for text in wanted if text in self.listed or self._covers(read(text)))

    def _covers(self, other: Host) -> bool:
        if other.below:  # an entry for one name does not cover a wildcard that includes it
            above = [entry for entry in self._entries if entry.below and f".{other.name}".endswith(f".{entry.name}")]
            return all(any(port in entry.ports for entry in above) for port in other.ports)
        if other.network is not None and other.network.num_addresses > 1:
            return False
        host = other.network.network_address if other.network is not None else other.name
        return all(self.name(host, port) for port in other.ports)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its very name or address, with or without brackets."""
    try:
        found = canonical(f"[{host}]" if ":" in host and host[:1] != "[" else host)
    except ValueError:
        return False
    return found.rpartition(".")[2] == "localhost" if isinstance(found, str) else found.is_loopback


def is_public(address: Address) -> bool:
    """Return whether an address is on the internet, in every form that is embedded in it."""
    return all(
        one.is_global and not one.is_multicast and not any(one in network for network in _SPECIAL)
        for one in (address, *_hidden_in(address))
    )


def _hidden_in(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses to which packets for this one may go."""
    if isinstance(address, IPv4Address):
        return
    yield from filter(None, (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())))
    if int(address) >> 32 == 0 or _is_tunnelled(address) or any(address in network for network in _TRANSLATED):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _is_tunnelled(address: IPv6Address) -> bool:
    """Return whether it is an ISATAP address, whose second half announces an IPv4 address."""
    return (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE


def _plain(address: Address) -> Address:
    """Return the IPv4 address if it is written as IPv6."""
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def address_of(text: str) -> Address:
    """Return an address in the system's notation."""
    return _plain(ip_address(text.partition("%")[0]))


def is_own(address: Address) -> bool:
    """Return whether an address is one of this machine, which would reach itself; nothing is sent to find out."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asked:
            asked.connect((str(address), _ANY_PORT))
            return address_of(asked.getsockname()[0]) == address or _may_bind(family, address)
    except OSError as error:
        return error.errno in _NOT_NOW  # if it cannot be known, the answer is the careful one


def _may_bind(family: int, address: Address) -> bool:
    """Return whether a socket can bind an address, including secondary ones that are not used for sending."""
    nobodys = "2001:db8::1" if isinstance(address, IPv6Address) else "192.0.2.1"
    return _binds(family, str(address)) and not _binds(family, nobodys)


def _binds(family: int, address: str) -> bool:
    with socket.socket(family, socket.SOCK_DGRAM) as asked:
        try:
            asked.bind((address, 0))
        except OSError as error:
            if error.errno in _NOT_NOW:
                raise
            return False
    return True
