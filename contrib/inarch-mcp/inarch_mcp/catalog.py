"""Tools of all servers in this run, with the tracer that reports changes and the policy for changed tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from attrs import define, evolve, field

import inarch
from inarch_mcp.definitions import Definition, Listing, differences, shown, tool_names
from inarch_mcp.hub import Hub
from inarch_mcp.mcp_settings import Server, Settings, lent
from inarch_mcp.offerings import Offerings
from inarch_mcp.server_records import Agreed, Cache
from inarch_mcp.server_start import WITHIN, Place, place_of
from inarch_mcp.server_tools import ServerTool
from inarch_mcp.tool_search import MOST_OFFERED, ToolSearch

_WINDOWS, _CHARACTERS = 10, 4
"""Servers' tools may take one of this many parts of a window; characters of JSON in a token."""
MOST_LINKS = 1_000

LOADING = "inarch_mcp.loading"
"""Mark on the click context while `inarch mcp` is being loaded: no tools are needed yet."""


@define(eq=False, repr=False)
class Catalog:
    """The servers of one composition: their tools, remarks and changes.

    Args:
        servers: The servers that are enabled.
        cache: Their stored listings.
        agreed: The definitions that the user has accepted.
        place: The folders and variables for servers.
        lent: Names of servers that a program added; the person has just agreed to start them.
        deferred: When requests leave servers' tools out, as in the settings.
    """

    servers: Mapping[str, Server]
    cache: Cache
    agreed: Agreed
    place: Place
    lent: Collection[str] = ()
    deferred: Literal["auto", "always", "never"] = "auto"
    hub: Hub = field(init=False)
    tools: tuple[ServerTool, ...] = field(init=False, default=())
    remarks: list[str] = field(init=False, factory=list)
    changed: dict[str, str] = field(init=False, factory=dict)
    below: int | None = field(init=False, default=None)
    _news: list[str] = field(init=False, factory=list)
    _composed: dict[str, Listing] = field(init=False, factory=dict)
    _late: list[ServerTool] = field(init=False, factory=list)
    _links: set[tuple[str, str]] = field(init=False, factory=set)

    @hub.default
    def _make_hub(self) -> Hub:
        return Hub(self.servers, self.place, self._listed)

    def compose(self) -> None:
        """Make the tools, and ask only servers without a stored listing."""
        listings = {name: self.cache.listing(name, server) for name, server in self.servers.items()}
        asked: list[str] = []
        for name, listing in listings.items():
            failure = "" if name in self.lent else self.cache.failure(name, self.servers[name])
            if listing is None and failure:
                self._left_out(name, failure)
            elif listing is None:
                asked.append(name)
        for name, found in (self.hub.list_tools(asked) if asked else {}).items():
            if isinstance(found, str):
                self.cache.keep_failure(name, self.servers[name], found)
                self._left_out(name, found)
            else:
                listings[name] = found
        self._composed = {name: listing for name, listing in listings.items() if listing is not None}
        for name, listing in self._composed.items():
            self.remarks += [f"MCP server {name!r}: {note}" for note in listing.notes]
        self._make_tools()

    def news(self) -> str:
        """Return the changes since the last call."""
        news, self._news = self._news, []
        return "; ".join(news)

    def new_tools(self) -> list[ServerTool]:
        """Return the tools that servers have listed since the last call."""
        late, self._late = self._late, []
        return late

    def own_tools(self) -> list[inarch.Tool]:
        """Return the tools that work with servers: to find tools, read resources, and answer questions."""
        if not self._composed:
            return []
        from inarch_mcp.answer_tool import AnswerServer
        from inarch_mcp.resources import ReadResource

        longest = max(self.servers[name].timeout_s for name in self._composed)
        reading = tuple(name for name in self._composed if self.offerings(name).reads)
        reader = [ReadResource(self, reading, longest)] if reading else []
        search = [] if self.deferred == "never" else [ToolSearch(self)]
        return [*search, *reader, AnswerServer(self.hub, longest)]

    def offerings(self, server: str) -> Offerings:
        """Return the offerings of a server, empty if it is not known."""
        listing = self._composed.get(server)
        return Offerings() if listing is None else listing.offerings

    def knows(self, server: str, uri: str) -> bool:
        """Return whether a server lists a resource, or linked it in a result."""
        return (server, uri) in self._links or any(one.uri == uri for one in self.offerings(server).resources)

    def linked(self, server: str, result: Mapping[str, Any]) -> None:
        """Take note of the resources that a result links."""
        links = (str(one.get("uri")) for one in result.get("content") or () if one.get("type") == "resource_link")
        self._links |= {(server, uri) for uri in links if len(self._links) < MOST_LINKS}

    def _make_tools(self) -> None:
        pairs = [(name, one) for name, listing in self._composed.items() for one in listing.definitions]
        self.tools = self._tools(pairs)
        self._defer(self.tools, ())
        for server, listing in self._composed.items():
            former = self.agreed.changes(server, listing.definitions)
            for tool in self.tools:
                if tool.server == server and tool.definition.tool in former:
                    what = differences(former[tool.definition.tool], tool.definition.prints)
                    agree = f"(inarch mcp accept {server} agrees)"
                    why = f"MCP server {server!r} has changed its {what} since you last let it run {agree}"
                    self.changed[tool.name] = why
            several = [tool.name for tool in self.tools if tool.server == server and tool.name in self.changed]
            if several:
                self.remarks.append(f"MCP server {server!r} has changed {_some(several)}: you are asked again")

    def _tools(self, pairs: Sequence[tuple[str, Definition]]) -> tuple[ServerTool, ...]:
        names = tool_names([(server, one.tool) for server, one in pairs])
        return tuple(
            ServerTool.of(name, (server, self.servers[server]), one, self)
            for name, (server, one) in zip(names, pairs, strict=True)
        )

    def _defer(self, new: Sequence[ServerTool], offered: Iterable[ServerTool]) -> None:
        """Leave new tools out of requests if they are too many, or for windows that are too small."""
        tools = [tool for tool in new if not self.servers[tool.server].always]
        if self.deferred == "never" or not tools:
            return
        if self.deferred == "always" or len(tools) + sum(not tool.is_deferred for tool in offered) > MOST_OFFERED:
            for tool in tools:
                tool.is_deferred = True
        elif not offered:
            size = sum(len(tool.description) + len(json.dumps(tool.input_schema)) for tool in tools)
            self.below = _WINDOWS * size // _CHARACTERS
            for tool in tools:
                tool.least_window = self.below

    def ran(self, server: str, definition: Definition) -> None:
        """Accept a changed definition, because the user has just approved a call."""
        for tool in self.tools:
            if tool.definition is definition and self.changed.pop(tool.name, ""):
                self.agreed.agree(server, definition)

    def _listed(self, name: str, listing: Listing) -> None:
        """Store a server's listing. New tools work at once. Other changes apply from the next start on."""
        self.cache.keep(name, self.servers[name], listing)
        before = self._composed.get(name)
        if before is None:
            return
        self._composed[name] = evolve(before, offerings=listing.offerings)
        old = {one.tool: one for one in before.definitions}
        new = {one.tool: one for one in listing.definitions}
        known = {(tool.server, tool.definition.tool) for tool in self.tools}
        late = self._tools([(name, one) for one in listing.definitions if (name, one.tool) not in known])
        self._defer(late, self.tools)
        self.tools += late
        self._late += late
        said = [(f"{_some([tool for tool in old if tool not in new])} gone", any(tool not in new for tool in old))]
        other = [tool for tool in new if tool in old and old[tool].prints != new[tool].prints]
        said.append((f"{_some(other)} changed", bool(other)))
        told = ", ".join(text for text, holds in said if holds)
        news = f"MCP server {name!r} lists other tools now: {told}; that counts from the next start"
        if told and news not in self._news:
            self._news.append(news)

    def _left_out(self, name: str, why: str) -> None:
        again = "" if name in self.lent or "run: inarch mcp" in why else " (inarch mcp list --refresh tries again)"
        self.remarks.append(f"MCP server {name!r} is left out: {why}{again}")


def catalog_of(context: inarch.PluginContext) -> Catalog:
    """Return the catalog of a composition, empty during a probe or in a server that Inarch started.

    A server that can't be reached becomes a remark, never an error.

    Raises:
        inarch.ConfigError: This process must not start servers.
    """
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    servers = {name: server for name, server in settings.servers.items() if server.enabled}
    brought = {name: one for name, one in lent().items() if name not in settings.servers}
    servers |= {name: one.server for name, one in brought.items()}
    if servers and context.user is None:  # a probe has no servers, so this is an isolated plugin
        message = "servers can't be started from a process of the plugin's own"
        raise inarch.ConfigError(message, key="isolation.mcp", remedy='use mode = "in-process"')
    if WITHIN in context.environ:
        servers = {}
    values = {name: value for one in brought.values() for name, value in one.variables.items()}
    catalog = Catalog(
        servers,
        Cache(context.cache_dir),
        Agreed(context.state_dir, context.recorded),
        place_of(context, values, frozenset(brought)),
        frozenset(brought),
        settings.deferred,
    )
    if servers and not _is_loading():
        catalog.compose()
    return catalog


def _is_loading() -> bool:
    click = sys.modules.get("click")
    context = click.get_current_context(silent=True) if click is not None else None
    return context is not None and LOADING in context.meta


def _some(names: list[str]) -> str:
    listed = ", ".join(shown(name, 64) for name in names[:5])
    return listed + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@define(eq=False, repr=False)
class Watch:
    """A tracer that reports changes of servers, adds their new tools, and closes the connections."""

    catalog: Catalog
    name: str = "mcp"

    def saw(self, event: inarch.Event) -> None:
        """Cancel calls that wait for the user's answer when their turn ends."""
        if event.kind == "turn.ended":
            self.catalog.hub.give_up(event.turn_id or "")

    def summary(self, turn_id: str) -> str | None:
        """Return the changes of servers during the turn, or None."""
        return self.catalog.news() or None

    def new_tools(self) -> Sequence[inarch.Tool]:
        """Return the tools that servers have listed since the last call."""
        return self.catalog.new_tools()

    def remarks(self) -> Sequence[str]:
        """Return remarks for the start: servers and tools that were left out or changed."""
        return tuple(self.catalog.remarks)

    def close(self) -> None:
        """Close every connection."""
        self.catalog.hub.close()


@define(eq=False, repr=False)
class ChangedDefinitions:
    """A policy that asks about tools whose definition differs from the accepted one, despite allow rules."""

    catalog: Catalog
    name: str = "mcp-changed-definitions"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        """Ask about a changed tool and allow any other."""
        why = self.catalog.changed.get(call.name)
        return inarch.Verdict("ask", why) if why else inarch.Verdict("allow")
