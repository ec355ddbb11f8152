"""The addresses of the user's own page: at its server and in the frame."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from attrs import field, frozen

import inarch

_DEFAULT_PORTS = {"http": 80, "https": 443}
_EXAMPLE = "give it as in: inarch web --page http://localhost:3000"


@frozen
class PageAddress:
    """The address of a development server."""

    scheme: str
    host: str
    port: int
    path: str = "/"

    @classmethod
    def read(cls, text: str, *, anywhere: bool = False) -> PageAddress:
        """Return the address in a text."""
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
        return _authority(self.scheme, self.host, self.port)

    @property
    def origin(self) -> str:
        """The origin of the page without a frame."""
        return f"{self.scheme}://{self.authority}"

    @property
    def socket_origin(self) -> str:
        """The origin of the page's WebSockets."""
        return f"{'wss' if self.scheme == 'https' else 'ws'}://{self.authority}"


@frozen
class FrameAddress:
    """The address of the proxy: a random host name that differs in each run.

    The host has no cookies, storage or service workers of other pages. The proxy answers only under this name. So a
    page whose own name resolves to this machine gets no answer. Browsers resolve `*.localhost` themselves.
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
    """Both addresses of one page."""

    page: PageAddress
    frame: FrameAddress

    def to_page(self, url: str) -> str | None:
        """Return the server's address for an address in the frame, or None for other addresses."""
        return _moved(url, self.frame.origin, self.page.origin)

    def to_frame(self, url: str) -> str:
        """Return the frame's address for an address of the page. Return other addresses unchanged."""
        moved = _moved(url, self.page.origin, self.frame.origin)
        return url if moved is None else moved


def origin_of(url: str) -> str | None:
    """Return the origin of an `http` or `https` address, or None for other texts."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        return None
    if split.scheme not in ("http", "https") or not split.hostname or "\\" in split.netloc:
        return None
    return f"{split.scheme}://{_authority(split.scheme, split.hostname, port)}"


def _authority(scheme: str, host: str, port: int | None) -> str:
    host = f"[{host}]" if ":" in host else host
    return host if port in (None, _DEFAULT_PORTS[scheme]) else f"{host}:{port}"


def _moved(url: str, old: str, new: str) -> str | None:
    if origin_of(url) != old:
        return None
    scheme, _, authority = new.partition("://")
    return urlsplit(url)._replace(scheme=scheme, netloc=authority).geturl()


def _is_plain(host: str) -> bool:
    return all(char.isalnum() or char in "-._:" for char in host) and host.isascii()
