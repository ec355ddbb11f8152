"""`inarch models`: the providers of the profile and what they offer."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.options import composing_options
from inarch.cli.terminal import columns_of, escape, print_json, shorten
from inarch.contract.doors import guarded
from inarch.contract.errors import PluginError, ProviderError

if TYPE_CHECKING:
    from inarch.contract.ports import ModelProvider
    from inarch.plugins import Bound
    from inarch.sessions.app import App


@click.group("models")
def models() -> None:
    """List the providers of the profile and their models."""


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def list_models(as_json: bool, **given: Any) -> None:
    """List the models of the profile's providers, as they are written after --model."""
    from inarch.cli.composing import compose_told

    app = compose_told(given)
    rows = asyncio.run(_offers(app))
    if as_json:
        print_json(rows)
        return
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    for row in rows:
        said = row.get("error") or row.get("description") or ""
        line = f"{row['model']}{'  (default)' if row.get('default') else ''}{'  ' if said else ''}{said}"
        click.echo(shorten(escape(line, keep_newlines=False), columns))


async def _offers(app: App) -> list[dict[str, Any]]:
    try:
        found = [await _offer(name, bound) for name, bound in sorted(app.composition.models.items())]
    finally:
        await app.aclose()
    return [row for rows in found for row in rows]


async def _offer(name: str, bound: Bound[ModelProvider]) -> list[dict[str, Any]]:
    """Ask one provider; one that fails becomes a row that says so."""
    provider = bound.value
    try:
        with guarded(bound.plugin, "provider"):
            return [
                {
                    "model": f"{name}/{info.name}",
                    "default": info.name == provider.default_model,
                    "description": info.description,
                    "context_tokens": info.context_tokens,
                }
                for info in await provider.models()
            ]
    except (PluginError, ProviderError) as error:
        return [{"model": name, "error": str(error)}]
