"""`HttpService` inside a company: its proxy, and a certificate authority of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from inarch import HttpService, ProviderError
from inarch.testing import HttpServer, json_reply

from ..services.connect_proxy import connect_proxy

HOST = "models.example"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *map(str.lower, VARIABLES), *CERTIFICATES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def authority_file(authority: trustme.CA, tmp_path: Path) -> str:
    authority.cert_pem.write_to_path(str(tmp_path / "company.pem"))
    return str(tmp_path / "company.pem")


@contextmanager
def secured(authority: trustme.CA, *hosts: str) -> Iterator[int]:
    """Serve 1 over TLS under these names and give the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*hosts).configure_cert(context)
    with HttpServer([json_reply(1)]) as server:
        assert server._server is not None
        server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
        yield server._server.server_address[1]


def got(url: str) -> object:
    async def go() -> object:
        service = HttpService("svc", url, {"authorization": "Bearer sk-0123456789abcdef"})
        try:
            return await service.get("/")
        finally:
            await service.close()

    return asyncio.run(go())


def refused(url: str) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        got(url)
    return caught.value


def test_requests_go_through_the_proxy_to_a_server_of_the_companys_authority(
    authority: trustme.CA, authority_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", authority_file)
    with secured(authority, HOST) as port, connect_proxy(port, login="me:pass word") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//me:pass%20word@"))
        assert got(f"https://{HOST}") == 1
        assert proxy.asked == [f"{HOST}:443"]


def test_a_host_in_no_proxy_is_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    with HttpServer([json_reply("direct")]) as server, connect_proxy(1) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "0.0.0.0")  # is this machine, too, but not known as such
        assert got(server.url.replace("127.0.0.1", "0.0.0.0")) == "direct"
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("options", "kind", "retryable", "said", "remedy"),
    [
        ({"login": "me:secret99"}, "auth", False, "407 Proxy Authentication Required", "USER:PASSWORD"),
        ({"refusal": "403 Forbidden by policy"}, "network", False, "403 Forbidden by policy", "allow models.example"),
        ({"refusal": "502 Bad Gateway"}, "network", True, "502 Bad Gateway", "try again"),
    ],
)
def test_a_proxy_that_refuses_is_named_with_its_words(
    options: dict[str, str], kind: str, retryable: bool, said: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect_proxy(1, **options) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//me:wrong-password@"))
        error = refused(f"https://{HOST}")
    assert (error.kind, error.retryable, error.was_sent) == (kind, retryable, False)
    assert f"{proxy.url} did not let svc through to {HOST}: {said}" in str(error) and remedy in error.remedy
    assert "wrong-password" not in str(error) + error.remedy


def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:password99@127.0.0.1:1")
    error = refused(f"https://{HOST}")
    assert f"at https://{HOST} through the proxy http://127.0.0.1:1" in str(error)
    assert "HTTPS_PROXY" in error.remedy and "password99" not in str(error)


@pytest.mark.parametrize(
    ("proxy", "said"),
    [
        ("socks5://127.0.0.1:1", "speaks SOCKS, for which the library socksio is missing"),
        ("ftp://127.0.0.1:1", "has an invalid address"),
        ("http://[::1", "has an invalid address"),
        ("http://127.0.0.1:port", "has an invalid address"),
    ],
)
def test_a_proxy_that_can_not_be_used_is_said(proxy: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    error = refused(f"https://{HOST}")
    assert f"the proxy {proxy} {said}" in str(error) and "HTTPS_PROXY" in error.remedy


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_certificates_that_can_not_be_read_are_named(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "company.pem").write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "company.pem"))
    error = refused(f"https://{HOST}")
    assert "company.pem' (SSL_CERT_FILE) cannot be read" in str(error) and "PEM" in error.remedy


def test_an_authority_that_only_other_programs_know_is_said(
    authority: trustme.CA, authority_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", authority_file)
    with secured(authority, HOST) as port, connect_proxy(port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        error = refused(f"https://{HOST}")
    assert "certificate is not trusted" in str(error)
    assert error.remedy == "REQUESTS_CA_BUNDLE is for other programs: set SSL_CERT_FILE to the same file"
