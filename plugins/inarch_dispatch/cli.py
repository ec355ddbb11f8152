"""`inarch dispatch`: what the structured strategy remembers."""

from __future__ import annotations

import click

from inarch import PluginContext
from inarch_dispatch import Settings
from inarch_dispatch.cache import DecisionCache


@click.group()
def dispatch() -> None:
    """Look at the remembered decisions of the structured strategy."""


def _cache() -> DecisionCache:
    context = click.get_current_context().find_object(PluginContext)
    settings = context.settings if context and isinstance(context.settings, Settings) else Settings()
    return DecisionCache.beside(context.cache_dir if context else "", settings.ttl_s, settings.max_entries)


@dispatch.command()
def stats() -> None:
    """Show hits, misses and how many decisions are kept."""
    cache = _cache()
    cache.load()
    asked = cache.hits + cache.misses
    rate = f" ({cache.hits / asked:.0%})" if asked else ""
    click.echo(f"{len(cache.entries)} decisions kept; {cache.hits} hits{rate}, {cache.misses} misses")


@dispatch.command()
def clear() -> None:
    """Forget every remembered decision."""
    click.echo(f"{_cache().clear()} decisions forgotten")
