"""Conversion of errors of connections, proxies and certificates to a `ProviderError` with a remedy."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
from attrs import frozen

from inarch.contract.errors import ProviderError
from inarch_lib.output.escapes import shown

_CERTIFICATE = "check the base_url, the clock and any proxy; for your own certificate authority set SSL_CERT_FILE"
_TLS = "check the base_url and its port: a server without TLS has an address that begins with http://"
_OTHER_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Variables that name a company's authority for other programs; httpx2 reads `SSL_CERT_FILE` and `SSL_CERT_DIR`."""
PROXY_LOGIN = "put a user and a password into the address of the proxy: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"


class Service(Protocol):
    """Members of an `inarch.HttpService` that the errors use."""

    name: str
    base_url: str
    connect_s: float
    silence_s: float

    @property
    def address(self) -> str:
        """The base address for messages."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether the service runs on this machine."""
        ...

    def hide(self, text: str) -> str:
        """Redact the service's secrets in a text."""
        ...


def connection_error(service: Service, error: Exception) -> ProviderError:
    """Return the error for an exception of the HTTP library."""
    return _Failure(service, error).translated()


def setup_error(service: Service, error: Exception) -> ProviderError:
    """Return the error in the certificates or the proxy that keeps a client from being created."""
    if isinstance(error, OSError):  # as ssl.SSLError is
        named = os.environ.get("SSL_CERT_FILE", "")
        why = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        message = f"the certificates in {shown(named)!r} (SSL_CERT_FILE) cannot be read: {shown(str(why))}"
        remedy = "name a file of certificates in PEM form, or unset SSL_CERT_FILE"
        return ProviderError("network", message, remedy=remedy, was_sent=False)
    proxy = proxy_of(service.base_url) or "in the environment"
    if isinstance(error, ImportError):
        message = f"the proxy {proxy} speaks SOCKS, for which the library socksio is missing"
        remedy = "pip install socksio, or set HTTPS_PROXY to an http:// proxy"
    else:
        message = f"the proxy {proxy} has an invalid address"
        remedy = "correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY: http://HOST:PORT"
    return ProviderError("network", message, remedy=remedy, was_sent=False)


def proxy_of(url: str) -> str:
    """Return the proxy that the environment sets for an address, without its password; "" if there is none."""
    parts = urlsplit(url)
    proxies = getproxies()
    named = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not named or proxy_bypass(parts.hostname or ""):
        return ""
    return shown(re.sub(r"^(\w+://)?[^/]*@", r"\1", named))


@frozen
class _Failure:
    service: Service
    error: Exception

    def translated(self) -> ProviderError:
        service, error = self.service, self.error
        if isinstance(error, httpx2.ProxyError):
            return self._refused_by_proxy()
        if isinstance(error, httpx2.ConnectTimeout):
            message = f"{service.name} could not be reached at {self._place()} within {service.connect_s:g} s"
            return ProviderError("timeout", message, retryable=True, was_sent=False)
        if isinstance(error, httpx2.TimeoutException):
            message = f"{service.name} said nothing for {service.silence_s:g} s"
            return ProviderError("timeout", message, retryable=True)
        said = shown(service.hide(str(error))) or type(error).__name__
        if not isinstance(error, httpx2.ConnectError):
            return ProviderError("network", f"{service.name} broke the connection off: {said}", retryable=True)
        unreachable = f"{service.name} can't be reached at {self._place()}"
        if why := _reason(error, _distrust):
            message = f"{unreachable}: its certificate is not trusted here ({why})"
            return ProviderError("network", message, remedy=_certificate_remedy(), was_sent=False)
        if why := _reason(error, _no_tls):
            message = f"{unreachable}: no TLS connection could be made ({why})"
            return ProviderError("network", message, remedy=_TLS, was_sent=False)
        return ProviderError(
            "network", f"{unreachable}: {said}", retryable=True, remedy=self._reach_remedy(), was_sent=False
        )

    def _place(self) -> str:
        proxy = self._proxy()
        return f"{self.service.address} through the proxy {proxy}" if proxy else self.service.address

    def _proxy(self) -> str:
        return "" if self.service.is_local else proxy_of(self.service.base_url)

    def _reach_remedy(self) -> str:
        if self.service.is_local:
            return "start the server, or correct the base_url"
        return "check the connection, and HTTPS_PROXY and NO_PROXY" if self._proxy() else "check the connection"

    def _refused_by_proxy(self) -> ProviderError:
        """Return the error for a proxy that answers CONNECT with a status other than 200, such as `407 Some Reason`."""
        host = urlsplit(self.service.base_url).hostname
        said = shown(self.service.hide(str(self.error))) or "without a reason"
        status = int(said[:3]) if said[:3].isdecimal() else None
        message = f"the proxy {self._proxy() or 'in between'} did not let {self.service.name} through to {host}: {said}"
        if status == 407:
            return ProviderError("auth", message, remedy=PROXY_LOGIN, was_sent=False)
        if status is not None and status >= 500:
            remedy = "the proxy cannot reach the service: try again, or add the host to NO_PROXY"
            return ProviderError("network", message, retryable=True, remedy=remedy, was_sent=False)
        remedy = f"ask the proxy's administrator to allow {host}, or add it to NO_PROXY"
        return ProviderError("network", message, remedy=remedy, was_sent=False)


def _certificate_remedy() -> str:
    if not any(os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")):
        for name in _OTHER_BUNDLES:
            if os.environ.get(name):
                return f"{name} is for other programs: set SSL_CERT_FILE to the same file"
    return _CERTIFICATE


def _reason(error: BaseException | None, of: Callable[[ssl.SSLError], str]) -> str:
    """Return the reason of the TLS error behind an error, empty if there is none."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return of(error) if error is not None else ""


def _distrust(refused: ssl.SSLError) -> str:
    """Return why a certificate was rejected, empty if the certificate was not the problem."""
    return shown(getattr(refused, "verify_message", ""))


def _no_tls(refused: ssl.SSLError) -> str:
    """Return why the TLS handshake failed, empty if the other side only closed the connection."""
    broke_off = isinstance(refused, (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError))
    return "" if broke_off else shown(refused.reason or "no reason given").lower().replace("_", " ")
