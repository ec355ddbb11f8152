"""`inarch dispatch`: stored decisions of the structured strategy."""

from __future__ import annotations

import click

from inarch import PluginContext
from inarch_plugins.dispatch import Settings
from inarch_plugins.dispatch.cache import DecisionCache


@click.group()
def dispatch() -> None:
    """Look at the remembered decisions of the structured strategy."""


@dispatch.command()
def stats() -> None:
    """Show how many decisions are stored, with hits and misses."""
    cache = _cache()
    cache.load()
    asked = cache.hits + cache.misses
    rate = f" ({cache.hits / asked:.0%})" if asked else ""
    hits, misses = _many(cache.hits, "hit"), _many(cache.misses, "miss", "es")
    click.echo(f"{_many(len(cache.entries), 'decision')} kept; {hits}{rate}, {misses}")


@dispatch.command()
def clear() -> None:
    """Remove every stored decision."""
    click.echo(f"{_many(_cache().clear(), 'decision')} forgotten")


def _many(number: int, what: str, plural: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else plural}"


def _cache() -> DecisionCache:
    context = click.get_current_context().find_object(PluginContext)
    settings = context.settings if context and isinstance(context.settings, Settings) else Settings()
    return DecisionCache.beside(context.cache_dir if context else "", settings.ttl_s, settings.max_entries)
