"""Fetches one page: each address that it leads to is judged anew, and connected to as it was judged."""

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
    """A page that was fetched.

    Args:
        url: Where it was found in the end.
        title: Its title, if it has one.
        text: What it says, HTML as Markdown.
        is_cut: Whether its end was left out.
    """

    url: str
    title: str
    text: str
    is_cut: bool


async def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as this machine finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]


class Fetcher:
    """Fetches pages within the bounds of the settings.

    Args:
        settings: Which hosts are listed, and how much and how long is read.
        resolve: Returns the addresses of a name.
    """

    def __init__(self, settings: Settings, resolve: Resolve = resolved) -> None:
        self._settings = settings
        self._hosts = inarch.hosts.Hosts(settings.hosts)
        self._resolve = resolve

    async def fetch(self, url: str) -> Page:
        """Return a page.

        Raises:
            inarch.ToolFailed: It can't be had, or leads to a host that is not listed.
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
                remedy = "fetch that address by itself if it is wanted: the host is asked about"
                message = f"the page leads to another host or port: {inarch.escape(url)}"
                raise inarch.ToolFailed("permission", message, remedy)
        remedy = "fetch another page"
        raise inarch.ToolFailed(
            "execution", f"the page leads on more than {MOST_REDIRECTS} times, last to {url}", remedy
        )

    @asynccontextmanager
    async def _answer(self, url: str, place: Place) -> AsyncIterator[httpx2.Response]:
        """Ask the host, by the addresses that were judged: its name can't lead elsewhere a moment later."""
        timeout = httpx2.Timeout(self._settings.timeout_s, connect=_CONNECT_S)
        # A transport of its own keeps the variables for proxies out: a proxy would resolve the name by itself.
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
                raise inarch.ToolFailed("not_found", f"the host {place.host} is not known", "check the address")
        else:
            found = [place.host]
        # By the address itself, whatever its name: no name opens this machine, `localhost` included.
        allowed = [one for one in dict.fromkeys(found) if self._hosts.let_reach(one, one, place.port)]
        if not allowed:
            address = Place(found[0], place.port)
            who = f"{place} leads to {found[0]}, which" if isinstance(place.host, str) else str(place)
            message = f"{who} is {'this machine' if inarch.hosts.is_public(found[0]) else 'no public address'}"
            remedy = f'if it is meant, list "{address}" in [plugins.fetch] hosts of your own configuration'
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
            message = f"{url} is no text: {inarch.escape(kind)}, {inarch.escape(size)} bytes"
            raise inarch.ToolFailed("validation", message, "fetch a page of text")
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
            raise inarch.ToolFailed("execution", f"{url} broke off: {_words(error)}", "try again later") from None
        return bytes(body), False


def _words(error: Exception | None) -> str:
    return inarch.escape(str(error) or type(error).__name__)[:LONGEST]
