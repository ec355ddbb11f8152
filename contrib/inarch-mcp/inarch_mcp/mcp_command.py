"""`inarch mcp`: list servers, accept their changes, and run Inarch as a server."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
from collections.abc import Mapping
from typing import Any

import click

import inarch
from inarch.commands import CHANGEABLE
from inarch_mcp.catalog import LOADING, Catalog
from inarch_mcp.definitions import Listing
from inarch_mcp.first_replies import FirstReplies, first_replies
from inarch_mcp.logins import log_in, log_out, logged_in
from inarch_mcp.mcp_settings import Server, Settings
from inarch_mcp.server_records import Agreed, Cache
from inarch_mcp.server_start import place_of

if (_loading := click.get_current_context(silent=True)) is not None:  # loaded to be called
    _loading.meta[LOADING] = True


@click.group()
def mcp() -> None:
    """Use the tools of MCP servers, and be one."""
    click.get_current_context().meta.pop(LOADING, None)


@mcp.command("list")
@click.option("--refresh", is_flag=True, help="Start the servers and ask them now.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@click.pass_obj
def list_servers(context: inarch.PluginContext, refresh: bool, as_json: bool) -> None:
    """List the configured servers, their state and their tools."""
    catalog, servers = _catalog(context), _settings(context).servers
    found: Mapping[str, Listing | str] = {}
    if refresh:
        try:
            found = catalog.hub.list_tools(list(catalog.servers))
        finally:
            catalog.hub.close()
    rows = [_row(catalog, name, server, found.get(name)) for name, server in servers.items()]
    if as_json:
        click.echo(inarch.escape_json(json.dumps(rows, indent=2, ensure_ascii=False)))
        return
    for row in rows:
        about = f" · {row['server']} · protocol {row['protocol']}" if row["protocol"] else ""
        about += f" · {row['login']}" if row["login"] else ""
        click.echo(inarch.escape(f"{row['name']} · {row['state']}{about}", keep_newlines=False))
        for line in (", ".join(row["tools"]), *row["notes"]):
            if line:
                click.echo(inarch.escape(f"  {line}", keep_newlines=False))
    if not rows:
        click.echo("no servers: inarch mcp import, or write [plugins.mcp.servers.NAME] into your configuration")


@mcp.command()
@click.argument("names", nargs=-1)
@click.pass_obj
def accept(context: inarch.PluginContext, names: tuple[str, ...]) -> None:
    """Agree to the present definitions of the tools of the servers NAMES, or of all servers."""
    catalog = _catalog(context)
    unknown = [name for name in names if name not in catalog.servers]
    if unknown:
        raise inarch.UsageError(f"there is no server {unknown[0]!r}", "inarch mcp list shows those there are")
    for name in names or catalog.servers:
        listing = catalog.cache.listing(name, catalog.servers[name])
        if listing is None:
            click.echo(f"{name}: it has not listed its tools (inarch mcp list --refresh asks it)")
            continue
        changed = len(catalog.agreed.changes(name, listing.definitions))
        catalog.agreed.agree(name, *listing.definitions)
        click.echo(f"{name}: {changed} changed {'definition' if changed == 1 else 'definitions'} accepted")


@mcp.command("import", context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[FILE|NAME]... [--all] [--yes]", nargs=-1, type=click.UNPROCESSED)
def import_servers(words: tuple[str, ...]) -> int:
    """Import servers of other tools, as `inarch import` does, from a file or from where those tools have them."""
    root = click.get_current_context().find_root()
    command = root.command.get_command(root, "import") if isinstance(root.command, click.Group) else None
    if command is None:
        raise inarch.UsageError("this profile has no `inarch import`", "add importing to its plugins")
    with command.make_context("import", ["--only", "mcp", *words], parent=root) as context:
        return int(command.invoke(context) or 0)


@mcp.command()
@click.option("--http", "address", metavar="HOST:PORT", help="Streamable HTTP on this machine, instead of stdio.")
@click.option("--token-env", metavar="NAME", help="The variable with the token that HTTP requests must carry.")
@click.option("--tools", "globs", multiple=True, metavar="GLOB", help="Offer these tools only; may be repeated.")
@click.option(
    "--approve",
    type=click.Choice([one.name for one in CHANGEABLE]),
    help="Calls that run without a question. Inarch cannot ask here, so it denies the others.",
)
@click.option("--profile", metavar="NAME", help="The profile whose tools are offered.")
@click.option("--root", metavar="DIRECTORY", help="The workspace; the current directory by default.")
@click.pass_obj
def serve(
    context: inarch.PluginContext,
    address: str | None,
    token_env: str | None,
    globs: tuple[str, ...],
    approve: str | None,
    profile: str | None,
    root: str | None,
) -> None:
    """Offer the profile's tools to another agent, over the standard streams or HTTP, until it leaves.

    Every call goes through the same policies as a model's and is recorded in a session.
    """
    host, port = _address(address) if address else ("", 0)
    token = context.environ.get(token_env, "") if token_env else ""
    if token_env and not token:
        raise inarch.UsageError(f"the variable {token_env} is not set", "set it, or leave --token-env out")
    flags = {"approve": approve} if approve else {}
    if not host and os.isatty(0):
        click.echo("inarch: an agent starts this command; it waits for messages now, Ctrl-D ends it", err=True)
    replies = first_replies(context, root or ".", profile, approve, globs)
    if not host:
        replies.begin()
    app = inarch.compose(profile=profile, root=root or ".", flags=flags, naming=("mcp",))
    for line in app.ignored:
        click.echo(f"inarch: note: {inarch.escape(line)}", err=True)
    for one in app.composition.refused:
        click.echo(inarch.escape(f"inarch: note: plugin {one.name!r} was refused: {one.reason}"), err=True)
    try:
        asyncio.run(_serve(app, globs or ("*",), replies, host, port, token))
    except KeyboardInterrupt:
        click.echo("inarch: note: the server has ended", err=True)


async def _serve(
    app: inarch.App, globs: tuple[str, ...], replies: FirstReplies, host: str, port: int, token: str
) -> None:
    from inarch_mcp.mcp_server import Offer, serve_http, serve_stdio

    offer = Offer(app, globs)
    if host:
        await serve_http(offer, host, port, token, lambda url: click.echo(f"inarch: serving {url}", err=True))
    else:
        await serve_stdio(offer, replies)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    try:
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
        number = int(port)
    except ValueError:
        raise inarch.UsageError(f"--http {text!r} is not understood", "write it like 127.0.0.1:8080") from None
    if not is_here or not 0 <= number < 65_536:
        raise inarch.UsageError(
            f"--http {text!r} is not an address of this machine alone",
            "take 127.0.0.1 and a port; other machines come through a tunnel that knows who they are",
        )
    return "127.0.0.1" if host == "localhost" else host, number


def _settings(context: inarch.PluginContext) -> Settings:
    return context.settings if isinstance(context.settings, Settings) else Settings()


def _catalog(context: inarch.PluginContext) -> Catalog:
    """Return a catalog without asking any server."""
    servers = {name: server for name, server in _settings(context).servers.items() if server.enabled}
    cache, agreed = Cache(context.cache_dir), Agreed(context.state_dir, context.recorded)
    return Catalog(servers, cache, agreed, place_of(context))


@mcp.command()
@click.argument("name", metavar="NAME")
@click.option("--no-browser", is_flag=True, help="Show the address, and paste the browser's last address here.")
@click.pass_obj
def login(context: inarch.PluginContext, name: str, no_browser: bool) -> None:
    """Log in to the server NAME at its authorization server, with a browser."""
    catalog = _catalog(context)
    server = _with_login(catalog, name)
    click.echo(inarch.escape(log_in(catalog.place, server, opens=not no_browser), keep_newlines=False))
    try:
        found = catalog.hub.list_tools([name])[name]
    finally:
        catalog.hub.close()
    click.echo(inarch.escape(f"{name} · {_row(catalog, name, server, found)['state']}", keep_newlines=False))


@mcp.command()
@click.argument("name", metavar="NAME")
@click.pass_obj
def logout(context: inarch.PluginContext, name: str) -> None:
    """Log out of the server NAME: revoke its tokens, and remove them."""
    catalog = _catalog(context)
    click.echo(inarch.escape(log_out(catalog.place, _with_login(catalog, name)), keep_newlines=False))


def _with_login(catalog: Catalog, name: str) -> Server:
    """Return a server that takes a login.

    Raises:
        UsageError: There is none of this name.
    """
    server = catalog.servers.get(name)
    if server is None:
        raise inarch.UsageError(f"there is no server {name!r}", "inarch mcp list shows those there are")
    if not server.can_log_in:
        why = "it has its own Authorization header" if server.url else "it has no url"
        raise inarch.UsageError(f"server {name!r} takes no login: {why}")
    return server


def _row(catalog: Catalog, name: str, server: Server, found: Listing | str | None) -> dict[str, Any]:
    listing = found if isinstance(found, Listing) else catalog.cache.listing(name, server)
    if not server.enabled:
        state, listing = "off", None
    elif isinstance(found, str):
        state, listing = f"failed: {found}", None
        catalog.cache.keep_failure(name, server, found)
    elif listing is None:
        failure = catalog.cache.failure(name, server)
        state = f"failed: {failure}" if failure else "not asked yet"
    else:
        counts = {
            "tool": len(listing.definitions),
            "prompt": len(listing.offerings.prompts),
            "resource": len(listing.offerings.resources),
        }
        told = [
            f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count or noun == "tool"
        ]
        state = ", ".join(told) + (" (asked now)" if isinstance(found, Listing) else "")
    changed = catalog.agreed.changes(name, listing.definitions) if listing is not None else {}
    notes = [*(listing.notes if listing is not None else ()), *(f"changed: {tool}" for tool in changed)]
    return {
        "name": name,
        "state": state,
        "server": listing.server if listing is not None else "",
        "protocol": listing.protocol if listing is not None else "",
        "login": logged_in(catalog.place, server),
        "tools": [one.tool for one in listing.definitions] if listing is not None else [],
        "prompts": [f"/{name}:{one.command}" for one in listing.offerings.prompts] if listing is not None else [],
        "resources": [one.uri for one in listing.offerings.resources] if listing is not None else [],
        "notes": notes,
        "log": catalog.hub.log_path(name) if server.command else "",
    }
