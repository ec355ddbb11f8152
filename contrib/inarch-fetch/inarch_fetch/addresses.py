"""What the address of a page names, read in one way by who asks about it and who fetches it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit

import inarch

LONGEST = 4_000
_USUAL_PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """The host of an address in the one way in which it is compared, and its port."""

    host: str | inarch.hosts.Address
    port: int

    def __str__(self) -> str:
        name = f"[{self.host}]" if ":" in str(self.host) else str(self.host)
        return name if self.port in inarch.hosts.USUAL_PORTS else f"{name}:{self.port}"


def place_of(url: str) -> Place:
    """Return host and port of an address.

    Raises:
        inarch.ToolFailed: It is no address of a page.
    """
    try:
        parts = _parts(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        return Place(
            inarch.hosts.canonical(f"[{host}]" if ":" in host else host), parts.port or _USUAL_PORTS[parts.scheme]
        )
    except ValueError as error:  # no address in brackets, no number as the port, a name with odd letters
        raise _no_address(url, error) from None


def whole(url: str, link: str = "") -> str:
    """Return where a link of a page leads, the page itself without one; no part of a page is named.

    Raises:
        inarch.ToolFailed: It is no address of a page.
    """
    try:
        return urldefrag(urljoin(url, link)).url
    except ValueError as error:  # such as one bracket
        raise _no_address(link or url, error) from None


def _no_address(url: str, error: ValueError) -> inarch.ToolFailed:
    return inarch.ToolFailed("validation", f"{inarch.escape(url[:200])} is no address of a page: {error}", _REMEDY)


_REMEDY = "write http://HOST/PATH or https://HOST/PATH"


def _parts(url: str) -> SplitResult:
    if len(url) > LONGEST:
        raise ValueError(f"it has {len(url)} characters, more than {LONGEST}")
    if not url.isprintable() or " " in url:
        raise ValueError("it has spaces or control characters")
    parts = urlsplit(url)
    if parts.scheme not in _USUAL_PORTS or not parts.hostname:
        raise ValueError("it names no host by http or https")
    if "@" in parts.netloc:
        raise ValueError("it holds a name or password, which would be shown")
    return parts
