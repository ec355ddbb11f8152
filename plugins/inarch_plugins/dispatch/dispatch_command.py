"""`inarch dispatch`: what the structured strategy remembers, and whether it pays."""

from __future__ import annotations

import click

from inarch import PluginContext
from inarch_plugins.dispatch import Settings
from inarch_plugins.dispatch.break_even import WINDOW, Books
from inarch_plugins.dispatch.cache import DecisionCache


@click.group()
def dispatch() -> None:
    """Look at the remembered decisions of the structured strategy, and at what they cost."""


@dispatch.command()
def stats() -> None:
    """Show hits and misses, what decisions cost and saved here, and whether they go on."""
    cache = _cache()
    cache.load()
    asked = cache.hits + cache.misses
    rate = f" ({cache.hits / asked:.0%})" if asked else ""
    hits, misses = _many(cache.hits, "hit"), _many(cache.misses, "miss", "es")
    click.echo(f"{_many(len(cache.entries), 'decision')} kept; {hits}{rate}, {misses}")
    books = _books()
    if books.outcomes:
        click.echo(f"the last decisions in this directory: {books.balance.words()}")
        click.echo(verdict(books))


@dispatch.command()
def clear() -> None:
    """Forget every remembered decision, and what decisions cost here: a strategy that is off is on again."""
    books = _books()
    was_off = books.is_off
    books.clear()
    click.echo(f"{_many(_cache().clear(), 'decision')} forgotten" + ("; the strategy is on again" if was_off else ""))


def verdict(books: Books) -> str:
    """Return whether decisions go on, and why."""
    if books.is_off:
        return f"off since {books.off_since[:16].replace('T', ' ')} UTC: inarch dispatch clear switches it on again"
    balance = books.balance
    if balance.decisions < WINDOW:
        return f"on; whether it pays shows after {WINDOW} decisions"
    return "on; it does not pay" if balance.is_below("both") else "on; it pays"


def _many(number: int, what: str, plural: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else plural}"


def _cache() -> DecisionCache:
    context, settings = _given()
    return DecisionCache.beside(context.cache_dir if context else "", settings.ttl_s, settings.max_entries)


def _books() -> Books:
    context, settings = _given()
    return Books.of(context, settings.break_even) if context else Books()


def _given() -> tuple[PluginContext | None, Settings]:
    context = click.get_current_context().find_object(PluginContext)
    settings = context.settings if context and isinstance(context.settings, Settings) else Settings()
    return context, settings
