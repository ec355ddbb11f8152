"""Clients for search services: SearXNG's JSON API and Brave's search."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from itertools import islice
from typing import Any, NamedTuple

import httpx2

import inarch
from inarch_fetch import Search
from inarch_fetch.addresses import LONGEST

_LONGEST_REPLY = 2_000_000
_LONGEST_TEXT = 600
_TAG = re.compile(r"</?[a-z][^<>]*>")


class Form(NamedTuple):
    """Request and reply format of a service."""

    path: str
    parameters: Callable[[str, int], Mapping[str, str]]
    key_header: str
    results: Callable[[Any], Any]
    text: str
    remedies: Mapping[int, str]


FORMS = {
    "searxng": Form(
        "/search",
        lambda query, count: {"q": query, "format": "json"},
        "",
        lambda reply: reply["results"],
        "content",
        {403: "list json under search: formats: in the instance's settings.yml"},
    ),
    "brave": Form(
        "/res/v1/web/search",
        lambda query, count: {"q": query, "count": str(count)},
        "x-subscription-token",
        lambda reply: reply.get("web", {"results": []})["results"],
        "description",
        dict.fromkeys((401, 403, 422), "check the key"),
    ),
}


async def search(service: Search, key: str, query: str, count: int, timeout_s: float) -> list[dict[str, str]]:
    """Return at most `count` results with `title`, `url` and the page's excerpt as `text`.

    Raises:
        inarch.ToolFailed: The service did not answer, or its reply holds no results.
    """
    form = FORMS[service.service]
    headers = {"accept-encoding": inarch.ACCEPTED_ENCODING, **({form.key_header: key} if form.key_header else {})}
    try:
        async with (
            httpx2.AsyncClient(timeout=timeout_s) as client,
            client.stream(
                "GET", service.address + form.path, params=form.parameters(query, count), headers=headers
            ) as answer,
        ):
            body = await _body(service, answer)
    except httpx2.HTTPError as error:
        raise _failed(service, inarch.escape(str(error) or type(error).__name__)) from None
    if answer.status_code != 200:
        raise _failed(service, f"HTTP {answer.status_code}", form.remedies.get(answer.status_code, ""))
    try:
        return [_result(one, form) for one in islice(form.results(json.loads(body)), count)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _failed(service, "its reply has no results in the expected format") from None


async def _body(service: Search, answer: httpx2.Response) -> bytes:
    body = bytearray()
    async with aclosing(inarch.body_pieces(answer)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > _LONGEST_REPLY:
                raise _failed(service, f"its reply has more than {_LONGEST_REPLY} bytes")
    return bytes(body)


def _result(one: Mapping[str, Any], form: Form) -> dict[str, str]:
    text = html.unescape(_TAG.sub("", str(one.get(form.text) or "")))  # matched words are marked with tags
    title, url = str(one["title"])[:_LONGEST_TEXT], str(one["url"])[:LONGEST]
    return {"title": title, "url": url, "text": text[:_LONGEST_TEXT]}


def _failed(service: Search, why: str, remedy: str = "") -> inarch.ToolFailed:
    remedy = remedy or "check [plugins.fetch.search] in the configuration, or continue without a search"
    return inarch.ToolFailed("execution", f"the search at {service.address}: {why}", remedy)
