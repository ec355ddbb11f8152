"""Parsing of page addresses, shared by the policy that asks about them and the fetcher."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit

import inarch

LONGEST = 4_000
_USUAL_PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """Host and port of an address, normalised for comparison."""

    host: str | inarch.hosts.Address
    port: int

    def __str__(self) -> str:
        name = f"[{self.host}]" if ":" in str(self.host) else str(self.host)
        return name if self.port in inarch.hosts.USUAL_PORTS else f"{name}:{self.port}"


def place_of(url: str) -> Place:
    """Return host and port of an address.

    Raises:
        inarch.ToolFailed: It is not the address of a page.
    """
    try:
        parts = _parts(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        return Place(
            inarch.hosts.canonical(f"[{host}]" if ":" in host else host), parts.port or _USUAL_PORTS[parts.scheme]
        )
    except ValueError as error:  # brackets without an address, a port that is not a number, or odd letters in the name
        raise _no_address(url, error) from None


def whole(url: str, link: str = "") -> str:
    """Return the absolute address of a link, or of the page itself without one; fragments are removed.

    Raises:
        inarch.ToolFailed: It is not the address of a page.
    """
    try:
        return urldefrag(urljoin(url, link)).url
    except ValueError as error:  # for example a single bracket
        raise _no_address(link or url, error) from None


def _no_address(url: str, error: ValueError) -> inarch.ToolFailed:
    return inarch.ToolFailed("validation", f"{inarch.escape(url[:200])} is not the address of a page: {error}", _REMEDY)


_REMEDY = "write http://HOST/PATH or https://HOST/PATH"


def _parts(url: str) -> SplitResult:
    if len(url) > LONGEST:
        raise ValueError(f"it has {len(url)} characters, more than {LONGEST}")
    if not url.isprintable() or " " in url:
        raise ValueError("it has spaces or control characters")
    parts = urlsplit(url)
    if parts.scheme not in _USUAL_PORTS or not parts.hostname:
        raise ValueError("it is not an http or https address with a host")
    if "@" in parts.netloc:
        raise ValueError("it contains a name or password, which would be shown")
    return parts
