"""Source location of an element: from its development build, or else the best match, marked as a guess."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from glob import escape
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import httpx2
from attrs import define, evolve, frozen

import inarch
from inarch_web.pointing.element_match import Extent, extent_around, extent_at, guess
from inarch_web.pointing.frame_addresses import Addresses, origin_of
from inarch_web.pointing.frame_server import Framed
from inarch_web.pointing.selection import Pointed, Source, read_pointed, words_of
from inarch_web.server.message_log import Raw

_DIGITS = {char: number for number, char in enumerate(f"{ascii_uppercase}{ascii_lowercase}{digits}+/")}
_LINK = re.compile(r"^[ \t]*//[#@] ?sourceMappingURL=(\S+)[ \t]*$", re.MULTILINE)
_FRAME = re.compile(r"(https?://[^\s()]+?):(\d+):(\d+)\)?\s*$")
_LIBRARY = re.compile(r"/node_modules/|/@vite/|/@react-refresh|/@id/|/jsx[-_](dev[-_])?runtime|/react[-_]jsx")
_BOTTOM = "react_stack_bottom_frame"
"""Below this line, a React stack contains only React itself."""
_SHORTEST_SEGMENT = 4
_LARGEST_SHIFT = 30
"""Numbers of a map have 32 bits. An endless number would take longer with each digit."""


@frozen
class Place:
    """A place in a file: `line` and `column` counted from 1."""

    file: str
    line: int
    column: int


def first_place(stack: str) -> Place | None:
    """Return the innermost place of a JavaScript stack that is not in a library."""
    for line in stack.partition(_BOTTOM)[0].splitlines():
        found = _FRAME.search(line.strip())
        if found and not _LIBRARY.search(found.group(1)):
            return Place(found.group(1), int(found.group(2)), int(found.group(3)))
    return None


def link_of(module: str) -> str:
    """Return the address of a module's source map, or "" if it has none. The last such line counts."""
    found = _LINK.findall(module)
    return str(found[-1]) if found else ""


def inline_map(link: str) -> str | None:
    """Return the map that is inline in a link, or None if it is not."""
    if not link.startswith("data:"):
        return None
    kind, _, data = link.partition(",")
    try:
        return base64.b64decode(data).decode() if kind.endswith(";base64") else unquote(data)
    except (binascii.Error, ValueError):
        return None


def original(text: str, place: Place) -> Place | None:
    """Return the original place of a place in a module, or None if the map lacks it."""
    try:
        told = json.loads(text)
        sources, mappings = told["sources"], told["mappings"]
        root = told.get("sourceRoot") or ""
        found = _segment(mappings, place.line - 1, place.column - 1)
        if found is None:
            return None
        number, line, column = found
        return Place(urljoin(place.file, f"{root}{sources[number]}"), line + 1, column + 1)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def _segment(mappings: str, line: int, column: int) -> tuple[int, int, int] | None:
    """Return source, line and column of the last segment before a place in the module, counted from 0."""
    source = source_line = source_column = 0
    best: tuple[int, int, int] | None = None
    for number, group in enumerate(mappings.split(";")):
        if number > line:
            break
        made = 0
        for text in filter(None, group.split(",")):
            values = tuple(_numbers(text))
            made += values[0]
            if len(values) < _SHORTEST_SEGMENT:
                continue
            source, source_line, source_column = source + values[1], source_line + values[2], source_column + values[3]
            if number == line and (made <= column or best is None):
                best = source, source_line, source_column
    return best if best is not None and min(best) >= 0 else None


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers of base64 VLQ digits: five bits each, lowest first. The lowest bit is the sign."""
    value = shift = 0
    for char in text:
        digit = _DIGITS[char]
        if shift > _LARGEST_SHIFT:
            raise ValueError(text[:20])
        value += (digit & 31) << shift
        shift += 5
        if not digit & 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value = shift = 0


_LARGEST_FILE = 1_000_000
_LARGEST_MODULE = 8_000_000
_FETCH_S = 5.0
_MOST_ALIKE = 50
_HEADERS = {"accept": "*/*", "accept-encoding": inarch.ACCEPTED_ENCODING, "sec-fetch-dest": "script"}
_PREFIXES = ("/@fs", "webpack://", "webpack-internal:///", "turbopack://", "file://")


@define(eq=False, repr=False)
class Locator:
    """Finder of the file and lines of elements."""

    workspace: inarch.Workspace
    addresses: Addresses

    async def locate(self, element: Pointed) -> dict[str, Any] | None:
        """Return `{file, line, end_line, component, guess}`, or None if nothing is found."""
        sources = [await self._told_by_map(one) if one.stack else one for one in element.sources]
        return await asyncio.to_thread(self._located, element, [one for one in sources if one is not None])

    def _located(self, element: Pointed, sources: list[Source]) -> dict[str, Any] | None:
        found = [(path, one) for one in sorted(sources, key=lambda one: one.up) if (path := self._path_of(one.file))]
        component = next((one.component for _, one in found if one.component), "")
        for path, one in found:
            if one.up == 0 and one.line:
                extent = extent_at(self._text(path), element.tag, one.line, one.column)
                return _place(path, extent or Extent(one.line, one.line), component)
        for path, one in found:  # a source of an outer element, or one without a line
            if located := self._guessed(element, component, path):
                return located
            extent = Extent(one.line, one.line)
            return _place(path, extent, component, is_guess=one.up > 0)
        return self._guessed(element, component, None)

    def _guessed(self, element: Pointed, component: str, path: str | None) -> dict[str, Any] | None:
        best = guess(element, self.workspace, path)
        if best is None:
            return None
        file, line = best
        around = extent_around(self._text(file), element.tag, line)
        return _place(file, around or Extent(line, line), component, is_guess=True)

    def _path_of(self, told: str) -> str:
        """Return the workspace path of a file that a page names, or "" if there is none."""
        path = _bare(told, self.addresses, self.workspace.root)
        if not path or ".." in path.split("/"):
            return ""
        try:
            if (stat := self.workspace.stat(path)) is not None and stat.kind == "file":
                return path
            # The server's root may be a folder of the workspace.
            below = self.workspace.walk(f"**/{escape(posixpath.basename(path))}", limit=_MOST_ALIKE).paths
        except inarch.ToolFailed:
            return ""
        alike = [one for one in below if one.endswith(f"/{path}")]
        return alike[0] if len(alike) == 1 else ""

    def _text(self, path: str) -> str:
        try:
            return self.workspace.read(path, max_bytes=_LARGEST_FILE).data.decode("utf-8", "replace")
        except inarch.ToolFailed:
            return ""

    async def _told_by_map(self, source: Source) -> Source | None:
        """Return the source of a stack by the module's map. Without a map, only the file is known."""
        place = first_place(source.stack)
        if place is None or (page := self.addresses.to_page(place.file)) is None:
            return None
        told = evolve(source, file=urlsplit(page).path, stack="", line=0, column=0)
        module = await self._fetch(page)
        link = link_of(module)
        text = inline_map(link)
        if text is None and link:
            text = await self._fetch(urljoin(page, link))
        there = Place(page, place.line, place.column)
        found = await asyncio.to_thread(original, text, there) if text else None
        return told if found is None else evolve(told, file=found.file, line=found.line, column=found.column)

    async def _fetch(self, url: str) -> str:
        """Fetch a text from the page's server. Return "" if that fails."""
        if origin_of(url) != self.addresses.page.origin:
            return ""
        data = bytearray()
        verify = not inarch.hosts.is_loopback(self.addresses.page.host)
        try:
            async with (
                httpx2.AsyncClient(trust_env=False, verify=verify, timeout=_FETCH_S) as client,
                client.stream("GET", url, headers=_HEADERS) as response,
                aclosing(inarch.body_pieces(response)) as pieces,
            ):
                async for piece in pieces:
                    data += piece
                    if len(data) > _LARGEST_MODULE:
                        return ""
        except httpx2.HTTPError:
            return ""
        return data.decode("utf-8", "replace") if response.status_code == httpx2.codes.OK else ""


def _bare(told: str, addresses: Addresses, root: str) -> str:
    """Return a file's path without the prefixes of bundlers and servers."""
    path = told.replace("\\", "/")
    if origin_of(path) in (addresses.page.origin, addresses.frame.origin):
        path = unquote(urlsplit(path).path)
    for prefix in _PREFIXES:
        path = path.removeprefix(prefix)
    if "/./" in path:  # webpack puts the name of the package or layer before it
        path = path.partition("/./")[2]
    path = path.partition("?")[0]
    base = root.replace("\\", "/").rstrip("/") + "/"
    return posixpath.normpath(path.removeprefix(base).lstrip("/")) if path.strip("/.") else ""


def _place(file: str, extent: Extent, component: str, *, is_guess: bool = False) -> dict[str, Any]:
    found = {"file": file, "line": extent.first, "end_line": extent.last}
    return {**found, **({"component": component} if component else {}), **({"guess": True} if is_guess else {})}


async def chosen(told: object, app: inarch.App, framed: Framed | None) -> dict[str, Any] | None:
    """Return a selection as plain data, or None if nothing is selected.

    It has `selector`, `tag`, `text`, `html`, `rectangle`, `address`, `sourceLocation` and `words`. It has `picture` if
    the person wants the model to see one. `sourceLocation` has `file`, `line`, `end_line` and `component`. It has
    `guess` if the build does not give the location. It is None if nothing is found.
    """
    if told is None:
        return None
    if framed is None:
        raise inarch.UsageError("no page is shown that something could be selected in", "inarch web --page URL")
    element = read_pointed(told)
    selection: dict[str, Any] = {
        "selector": Raw(element.selector), "tag": element.tag, "text": element.text, "html": element.html,
        "rectangle": list(element.rectangle), "address": framed.addresses.page.origin + element.address,
        "sourceLocation": await Locator(app.workspace, framed.addresses).locate(element),
    }  # fmt: skip
    if isinstance(told, Mapping) and told.get("picture") is True:
        selection["picture"] = True  # the person wants the model to see it
    return {**selection, "words": words_of(selection)}
