"""`/model` alone: the models that can be chosen, numbered, so that `/model NUMBER` picks one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inarch import ConfigError, PluginError, ProviderError, UsageError, shorten

if TYPE_CHECKING:
    from inarch import App
    from inarch_terminal.slash.talk import Talk

MOST_LISTED = 30
LISTING_S = 8.0
"""Seconds that a provider has to say which models it offers."""


async def list_models(talk: Talk, asked: str) -> str:
    """Return the model that is asked and those to choose from; the conversation remembers their numbers."""
    app = talk.app
    found = await asyncio.gather(*(_of_provider(app, name) for name in sorted(app.composition.models)))
    names = dict.fromkeys(name for names, _ in found for name in names)
    for model in app.offers.values():
        names.setdefault(model)
    talk.listed_models = [*names][:MOST_LISTED]
    lines = _lines(talk.listed_models, asked, {model: variable for variable, model in app.offers.items()})
    rest = [f"  and {len(names) - MOST_LISTED:,} more: inarch models list"] if len(names) > MOST_LISTED else []
    heading = f"{asked} (profile {app.config.profile.name})"
    ways = "/model NUMBER or /model PROVIDER/NAME asks another one"
    failed = [f"  {why}" for _, why in found if why]
    return "\n".join([heading, *(shorten(line, talk.columns()) for line in lines), *rest, *failed, ways])


def picked(talk: Talk, words: str) -> str:
    """Return the model that a number of the list means; anything else is a name.

    Raises:
        UsageError: The list has no such number.
    """
    if not (words.isascii() and words.isdecimal()):
        return words
    if not 1 <= int(words) <= len(talk.listed_models):
        raise UsageError(f"no model has the number {words}", "/model lists them with their numbers")
    return talk.listed_models[int(words) - 1]


def _lines(names: Sequence[str], asked: str, offered: dict[str, str]) -> Iterator[str]:
    wide = len(str(len(names)))
    for number, name in enumerate(names, 1):
        why = f"  ({offered[name]} is set)" if name in offered else ""
        yield f"{'*' if name == asked else ' '} {number:>{wide}}  {name}{why}"


async def _of_provider(app: App, provider: str) -> tuple[list[str], str]:
    """Return the models of a provider, its default one first, and why they can't be told or asked."""
    from inarch.host import guarded

    try:
        choice = app.choice(provider)
        choice.check_key()
        async with asyncio.timeout(LISTING_S):
            with guarded(choice.provider.plugin, "provider", passes=(ProviderError,)):
                offered = [info.name for info in await choice.provider.value.models()]
    except TimeoutError:
        return [choice.full_name], f"{provider}: no answer within {LISTING_S:g} s"
    except ConfigError as error:
        return [], f"{provider}: {error}"
    except (PluginError, ProviderError) as error:
        return [choice.full_name], f"{provider}: {error}"
    names = dict.fromkeys([choice.model, *offered] if choice.model else offered)
    return [f"{provider}/{name}" for name in names], ""
