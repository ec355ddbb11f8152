"""Fetcher of single pages: it checks the address of each redirect and connects only to checked addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import httpx2

import inarch
from inarch_fetch import Settings
from inarch_fetch.addresses import LONGEST, Place, place_of, whole
from inarch_fetch.html_converter import converted
from inarch_fetch.page_text import charset_of, text_of

MOST_REDIRECTS = 5
_MOST_ADDRESSES = 4
_CONNECT_S = 5.0
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("application/json", "application/xml", "application/javascript", "application/toml", "application/yaml")
_HEADERS = {
    "accept": "text/markdown, text/html, text/plain, application/json;q=0.9, */*;q=0.1",
    "accept-encoding": inarch.ACCEPTED_ENCODING,
    "user-agent": "inarch-fetch/1.0",
}

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class Page(NamedTuple):
    """A fetched page."""

    url: str
    title: str
    text: str
    is_cut: bool


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host name, as this machine resolves it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]


class Fetcher:
    """Fetches pages within the bounds of the settings."""

    def __init__(self, settings: Settings, resolve: Resolve = resolved) -> None:
        self._settings = settings
        self._hosts = inarch.hosts.Hosts(settings.hosts)
        self._resolve = resolve

    async def fetch(self, url: str) -> Page:
        """Return a page.

        Raises:
            inarch.ToolFailed: The page cannot be fetched, or redirects to a host that is not listed.
        """
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._follow(whole(url))
        except TimeoutError:
            message = f"{url} took longer than {self._settings.timeout_s:g} s"
            raise inarch.ToolFailed(
                "timeout", message, "try another page, or raise [plugins.fetch] timeout_s"
            ) from None

    async def _follow(self, url: str) -> Page:
        first = place = place_of(url)
        for _ in range(1 + MOST_REDIRECTS):
            async with self._answer(url, place) as answer:
                if not answer.has_redirect_location:
                    return await self._read(url, answer)
                url = whole(url, answer.headers["location"])
            place = place_of(url)
            if str(place) != str(first) and not self._hosts.name(*place):
                remedy = "to read it, fetch that address itself: Inarch then asks about the host"
                message = f"the page redirects to another host or port: {inarch.escape(url)}"
                raise inarch.ToolFailed("permission", message, remedy)
        remedy = "fetch another page"
        raise inarch.ToolFailed(
            "execution", f"the page redirects more than {MOST_REDIRECTS} times, last to {url}", remedy
        )

    @asynccontextmanager
    async def _answer(self, url: str, place: Place) -> AsyncIterator[httpx2.Response]:
        """Send the request to the checked addresses, so that a changed DNS entry cannot redirect it."""
        timeout = httpx2.Timeout(self._settings.timeout_s, connect=_CONNECT_S)
        # A separate transport ignores proxy variables: a proxy would resolve the name itself.
        async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(), timeout=timeout) as client:
            answer = await self._connected(client, url, place)
            try:
                yield answer
            finally:
                await answer.aclose()

    async def _connected(self, client: httpx2.AsyncClient, url: str, place: Place) -> httpx2.Response:
        host = urlsplit(url).netloc
        names = {"sni_hostname": place.host} if isinstance(place.host, str) else {}
        failure: Exception | None = None
        for address in await self._allowed(place):
            target = httpx2.URL(url).copy_with(host=str(address), port=place.port)
            request = client.build_request("GET", target, headers={**_HEADERS, "host": host}, extensions=names)
            request.extensions["timeout"] = client.timeout.as_dict()
            try:
                return await client.send(request, stream=True)
            except httpx2.ConnectError as error:
                failure = error
            except httpx2.HTTPError as error:
                failure = error
                break
        raise inarch.ToolFailed("execution", f"{url}: {_words(failure)}", "check the address, or try again later")

    async def _allowed(self, place: Place) -> list[inarch.hosts.Address]:
        if isinstance(place.host, str):
            try:
                found = [inarch.hosts.address_of(one) for one in await self._resolve(place.host, place.port)]
            except (OSError, UnicodeError):
                found = []
            if not found:
                raise inarch.ToolFailed("not_found", f"the host {place.host} cannot be resolved", "check the address")
        else:
            found = [place.host]
        # Check the address, not the name: no name grants access to this machine, not even `localhost`.
        allowed = [one for one in dict.fromkeys(found) if self._hosts.let_reach(one, one, place.port)]
        if not allowed:
            address = Place(found[0], place.port)
            who = f"{place} resolves to {found[0]}, which" if isinstance(place.host, str) else str(place)
            message = f"{who} is {'this machine' if inarch.hosts.is_public(found[0]) else 'not a public address'}"
            remedy = f'to allow it, list "{address}" in [plugins.fetch] hosts of your own configuration'
            raise inarch.ToolFailed("permission", message, remedy)
        return allowed[:_MOST_ADDRESSES]

    async def _read(self, url: str, answer: httpx2.Response) -> Page:
        if answer.status_code >= 400:
            code: Literal["not_found", "execution"] = "not_found" if answer.status_code in (404, 410) else "execution"
            raise inarch.ToolFailed(code, f"{url}: HTTP {answer.status_code}", "check the address, or try another page")
        said = answer.headers.get("content-type", "text/plain")
        kind, charset = said.partition(";")[0].strip().lower(), charset_of(said)
        if not (kind.startswith("text/") or kind in (*_HTML, *_TEXT) or kind.endswith(("+json", "+xml"))):
            size = answer.headers.get("content-length", "an unknown number of")
            message = f"{url} is not text: {inarch.escape(kind)}, {inarch.escape(size)} bytes"
            raise inarch.ToolFailed("validation", message, "fetch a text page")
        body, is_cut = await self._body(url, answer)
        if kind in _HTML:
            read = await converted(body, url, charset, self._settings.max_bytes, self._settings.timeout_s)
            return Page(url, read.title, read.text, is_cut or read.is_cut)
        return Page(url, "", text_of(body, charset), is_cut)

    async def _body(self, url: str, answer: httpx2.Response) -> tuple[bytes, bool]:
        body = bytearray()
        most = self._settings.max_bytes
        try:
            async with aclosing(inarch.body_pieces(answer)) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) > most:
                        return bytes(body[:most]), True
        except httpx2.HTTPError as error:
            raise inarch.ToolFailed("execution", f"{url} ended early: {_words(error)}", "try again later") from None
        return bytes(body), False


def _words(error: Exception | None) -> str:
    return inarch.escape(str(error) or type(error).__name__)[:LONGEST]
