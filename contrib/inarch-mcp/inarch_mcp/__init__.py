"""Model Context Protocol: servers' tools for Inarch, and Inarch's tools for other agents.

Nothing here imports the official package. The import takes as long as the rest of the start, and most starts do not
need it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import inarch
from inarch_mcp.mcp_settings import Lent as Lent
from inarch_mcp.mcp_settings import Server as Server
from inarch_mcp.mcp_settings import Settings as Settings
from inarch_mcp.mcp_settings import lending as lending

if TYPE_CHECKING:
    from inarch_mcp.catalog import Catalog

_latest: list[tuple[inarch.PluginContext, Catalog]] = []
"""The catalog of the current composition. Its hooks are called one at a time."""


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.mcp]`."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools of the configured servers, and those that work with servers."""
    catalog = _catalog(context)
    return [*catalog.tools, *catalog.own_tools()]


@inarch.hookimpl
def inarch_late_tools(context: inarch.PluginContext) -> Iterable[inarch.LateTools]:
    """Return the source of tools that servers list while they run."""
    from inarch_mcp.catalog import Watch

    catalog = _catalog(context)
    return [Watch(catalog)] if catalog.servers else []


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that closes the connections and reports changes."""
    from inarch_mcp.catalog import Watch

    catalog = _catalog(context)
    return [Watch(catalog)] if catalog.servers else []


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Iterable[inarch.Policy]:
    """Return the policies that ask about changed definitions and put servers' questions to the user."""
    from inarch_mcp.answer_tool import UserAnswers
    from inarch_mcp.catalog import ChangedDefinitions

    catalog = _catalog(context)
    return [ChangedDefinitions(catalog), UserAnswers()] if catalog.servers else []


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source with the index of deferred tools and the servers' instructions."""
    from inarch_mcp.server_context import ServerContext

    catalog = _catalog(context)
    return [ServerContext(catalog)] if catalog.servers else []


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/mcp`, and a command for each prompt of a server."""
    from inarch_mcp.server_prompts import commands

    catalog = _catalog(context)

    def show(words: str) -> str:
        found = {name: "" if one.enabled else "off" for name, one in getattr(context.settings, "servers", {}).items()}
        found |= {name: ", ".join(one.name for one in catalog.tools if one.server == name) for name in catalog.servers}
        rows = [f"{name}: {tools or 'no tools'}" for name, tools in found.items()]
        return "\n".join([*rows, "inarch mcp list --refresh asks each server for its state"])

    made = [inarch.SlashCommand("mcp", "List the MCP servers and their tools.", show, at_once=True), *commands(catalog)]
    _latest.clear()
    return made


def _catalog(context: inarch.PluginContext) -> Catalog:
    from inarch_mcp.catalog import catalog_of

    if not _latest or _latest[-1][0] is not context:
        _latest[:] = [(context, catalog_of(context))]
    return _latest[-1][1]
