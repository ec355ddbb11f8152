"""The address of a person's own page, and the one under which the frame has it."""

from __future__ import annotations

import secrets
from urllib.parse import SplitResult, urlsplit

from attrs import field, frozen

import inarch

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_EXAMPLE = "give it as in: inarch web --page http://localhost:3000"


@frozen
class PageAddress:
    """Where a development server answers.

    Args:
        scheme: `http` or `https`.
        host: Its name or address, without brackets.
        port: Its port.
        path: The path and query that the frame begins with.
    """

    scheme: str
    host: str
    port: int
    path: str = "/"

    @classmethod
    def read(cls, text: str, *, anywhere: bool = False) -> PageAddress:
        """Return the address that a person gave.

        Args:
            text: What they gave.
            anywhere: Whether it may be on another machine.

        Raises:
            UsageError: It is no address of a page, or of another machine.
        """
        try:
            split = urlsplit(text.strip())
            host, port = split.hostname or "", split.port
        except ValueError as error:
            raise inarch.UsageError(f"--page {text!r:.200} is no address: {error}", _EXAMPLE) from None
        if split.scheme not in ("http", "https") or not host or not _is_plain(host):
            raise inarch.UsageError(f"--page {text!r:.200} is not the address of a page", _EXAMPLE)
        if split.username is not None or split.password is not None:
            raise inarch.UsageError("--page has a name or a password in its address", _EXAMPLE)
        if not anywhere and not inarch.hosts.is_loopback(host):
            raise inarch.UsageError(
                f"--page {split.scheme}://{host}: that is another machine", "give --page-anywhere if that is meant"
            )
        path = (split.path or "/") + (f"?{split.query}" if split.query else "")
        return cls(split.scheme, host, port if port is not None else _DEFAULT_PORTS[split.scheme], path)

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin that the page has without a frame."""
        return f"{self.scheme}://{self.authority}"

    @property
    def socket_origin(self) -> str:
        """Where its WebSockets are."""
        return f"{'wss' if self.scheme == 'https' else 'ws'}://{self.authority}"


@frozen
class FrameAddress:
    """Where the proxy answers: a host name that nobody can guess and no other run has.

    No cookie, no storage and no service worker of anything else is there, and whoever doesn't know the name is not
    answered, a page that lets its own name point at this machine included. Browsers resolve `*.localhost` themselves.

    Args:
        port: The proxy's port.
        host: The name.
    """

    port: int
    host: str = field(factory=lambda: f"{secrets.token_hex(16)}.localhost")

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        return f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the page in the frame."""
        return f"http://{self.authority}"


@frozen
class Addresses:
    """Both addresses of one page.

    Args:
        page: Where its server answers.
        frame: Where the frame has it.
    """

    page: PageAddress
    frame: FrameAddress

    def to_page(self, url: str) -> str | None:
        """Return an address of the frame's as the page's server knows it, None for any other."""
        return _moved(url, self.frame.origin, self.page.origin)

    def to_frame(self, url: str) -> str:
        """Return an address as the frame has it; one that is not the page's stays as it is."""
        moved = _moved(url, self.page.origin, self.frame.origin)
        return url if moved is None else moved


def origin_of(url: str) -> str | None:
    """Return the origin of an `http` or `https` address, None for anything else."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        return None
    if split.scheme not in ("http", "https") or not split.hostname or "\\" in split.netloc:
        return None
    return _origin(split, port)


def _origin(split: SplitResult, port: int | None) -> str:
    host = (split.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return f"{split.scheme}://{host}" + ("" if port in (None, _DEFAULT_PORTS[split.scheme]) else f":{port}")


def _moved(url: str, old: str, new: str) -> str | None:
    if origin_of(url) != old:
        return None
    split = urlsplit(url)
    query = f"?{split.query}" if split.query else ""
    return f"{new}{split.path}{query}" + (f"#{split.fragment}" if split.fragment else "")


def _is_plain(host: str) -> bool:
    return all(char.isalnum() or char in "-._:" for char in host) and host.isascii()
