"""What the address of a page names, read in one way by who asks about it and who fetches it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

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
    except (
        ValueError
    ) as error:  # an address in brackets that is none, a port that is no number, a name with odd letters
        raise inarch.ToolFailed(
            "validation", f"{inarch.escape(url[:200])} is no address of a page: {error}", _REMEDY
        ) from None


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
