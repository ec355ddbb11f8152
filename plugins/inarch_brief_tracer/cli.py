"""`inarch context`: what the tracer knows, for a person at a terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

import inarch


@click.group()
def context() -> None:
    """Look up symbols of this codebase and what calls them."""


@context.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--code", is_flag=True, help="Show the source, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the tool's result as JSON.")
def get(words: tuple[str, ...], code: bool, as_json: bool) -> None:
    """Show the symbol that WORDS are about, its callers and callees."""
    found = click.get_current_context().find_object(inarch.PluginContext)
    with inarch.compose(root=found.root if found else ".") as app:
        result = asyncio.run(app.call_tool("context_get", {"query": " ".join(words)}))
    if not result.success:
        raise click.ClickException(result.error.message if result.error else "no answer")
    if as_json:
        click.echo(inarch.escape_json(json.dumps(result.data, ensure_ascii=False)))
        return
    click.echo(inarch.escape("\n".join(_lines(result.data, code))))


def _lines(data: Mapping[str, Any], code: bool) -> Iterator[str]:
    target = data["target"]
    if target is None:
        yield data["note"] or "nothing found"
        return
    yield f"{target['qualname']}{target['signature']}"
    yield f"  {target['kind']} at {target['file']}:{target['line']}"
    if target["doc"]:
        yield f"  {target['doc']}"
    if code:
        yield ""
        yield target["code"]
    for title, sites in (("Called by", data["callers"]), ("Calls", data["callees"])):
        if sites:
            yield f"\n{title}"
            for site in sites:
                yield f"  {site['file']}:{site['line']}  {site['qualname']}"
    if data["others"]:
        yield "\nSee also"
        for other in data["others"]:
            yield f"  {other['file']}:{other['line']}  {other['qualname']}"
    if data["note"]:
        yield f"\n{data['note']}"
