"""Fetch: web pages as Markdown from hosts that the user allows, and search by a service of the user's choice.

Importing this module does not import the fetcher and the converter: most sessions do not use them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import field, frozen

import inarch

_BRAVE = "https://api.search.brave.com"


@frozen
class Search:
    """The service that `web_search` asks.

    Args:
        service: `searxng` for an instance of SearXNG, `brave` for Brave's search.
        base_url: Its address. SearXNG has no default, so `web_search` is absent without one.
        key_env: The variable that holds Brave's key.
    """

    service: Literal["searxng", "brave"] = "searxng"
    base_url: str = ""
    key_env: str = "BRAVE_API_KEY"

    def __attrs_post_init__(self) -> None:
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise ValueError("'base_url' must begin with http:// or https://")

    @property
    def address(self) -> str:
        """Address of the service, empty if none is configured."""
        return (self.base_url or (_BRAVE if self.service == "brave" else "")).rstrip("/")


@frozen
class Settings:
    """Settings of `[plugins.fetch]`.

    Args:
        hosts: Hosts whose pages are fetched without a question, such as `docs.python.org`, `*.example.org` or
            `127.0.0.1:8000`. An address that is not public is reached only if it is listed itself.
        max_bytes: Bytes of a page that are read. If a page is longer, the result says so.
        timeout_s: Seconds that fetching a page may take, redirects included.
        search: The service that `web_search` asks.
    """

    hosts: tuple[str, ...] = ()
    max_bytes: int = 2_000_000
    timeout_s: float = 20.0
    search: Search = field(factory=Search)

    def __attrs_post_init__(self) -> None:
        if self.max_bytes < 1 or self.timeout_s <= 0:
            raise ValueError("'max_bytes' and 'timeout_s' must be above 0")
        for host in self.hosts:
            if not inarch.hosts.is_host(host):
                raise ValueError(
                    f"{host!r} in 'hosts' is not a host: write NAME, *.NAME or an address, and :PORT if needed"
                )


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the settings of a composition."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.fetch]`."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return `web_fetch`, and `web_search` if a service is configured."""
    from inarch_fetch.web_tools import WebFetch, WebSearch

    settings = settings_of(context)
    tools: list[inarch.Tool] = [WebFetch(settings)]
    if settings.search.address:
        tools.append(WebSearch(settings.search, context.environ.get(settings.search.key_env, ""), settings.timeout_s))
    return tools


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policy that asks about unlisted hosts."""
    from inarch_fetch.web_tools import UnlistedHosts

    return [UnlistedHosts(settings_of(context).hosts)]
