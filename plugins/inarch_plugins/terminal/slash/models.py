"""`/model` and `/profile`: switch the model or profile for the next turns; a running turn is not affected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from inarch import ConfigError, PluginError, ProviderError, UsageError, escape, shorten

if TYPE_CHECKING:
    from inarch import App
    from inarch_plugins.terminal.slash.talk import Talk

MOST_LISTED = 30
LISTING_S = 8.0
"""Seconds that a provider has to list its models; all providers are queried at once."""


@frozen
class Offer:
    """The models of a provider, its default first: full names, descriptions, and the reason if the list is missing."""

    rows: tuple[tuple[str, str], ...] = ()
    problem: str = ""


async def offers(talk: Talk) -> Mapping[str, Offer]:
    """Return the models of the profile's providers; each provider that answered is queried once per application."""
    app, known = talk.app, talk.models  # another application may take over during the await
    new = [name for name in app.composition.models if name not in known or known[name].problem]
    known.update(zip(new, await asyncio.gather(*(_offer(app, name) for name in new)), strict=True))
    return {name: known[name] for name in app.composition.models}


async def _offer(app: App, provider: str) -> Offer:
    from inarch.host import guarded

    first: tuple[tuple[str, str], ...] = ()
    try:
        choice = app.choice(provider)
        choice.check_key()
        first = ((choice.full_name, ""),)
        async with asyncio.timeout(LISTING_S):
            with guarded(choice.provider.plugin, "provider", passes=(ProviderError,)):
                found = {f"{provider}/{info.name}": info.description for info in await choice.provider.value.models()}
    except TimeoutError:
        return Offer(first, f"{provider}: no answer within {LISTING_S:g} s")
    except ConfigError as error:
        return Offer((), f"{provider}: {error}")
    except (PluginError, ProviderError) as error:
        return Offer(first, f"{provider}: {error}")
    return Offer(tuple(({first[0][0]: ""} | found if choice.model else found).items()))


async def model(talk: Talk, words: str) -> str:
    """List the models, or switch to one by its number in the list or its name."""
    from inarch.host import discover

    old = talk.app.choice().full_name
    if not words:
        return escape(await _listed(talk, old))
    if any(letter.isspace() for letter in words):
        raise UsageError(f"{words!r} is not a model", "write PROVIDER/NAME, PROVIDER or auto")
    if words.isascii() and words.isdecimal():
        if not 1 <= int(words) <= len(talk.listed_models):
            raise UsageError(f"no model has the number {words}", "/model lists them with their numbers")
        words = talk.listed_models[int(words) - 1]
    words = talk.app.models.full_name(words)
    provider = words.partition("/")[0]
    launch = talk.launch.changed(model=words)
    notes: list[str] = []
    if provider != "auto" and provider not in talk.app.composition.models and provider in discover().plugins:
        notes += await talk.recompose(launch, with_grants=True)
    choice = await talk.app.models.find(words)
    told = choice.check_key()
    name = choice.provider.value.name
    unknown = "" if choice.model == choice.provider.value.default_model else await _unknown(talk, name, choice.model)
    note = "; ".join(filter(None, (told, unknown)))
    new = await talk.session.set_model(words, "asked for with /model")
    talk.app.config = talk.session.state.config
    talk.launch = launch
    said = f"{new} answers from now on" if new != old else f"{new} is already the model"
    return escape("\n".join([f"{said}{f' ({note})' if note else ''}", *notes]))


async def profile(talk: Talk, words: str) -> str:
    """Return the profiles, or switch to one by its name."""
    config = talk.app.config
    if not words:
        names = sorted({*config.profiles, config.profile.name})
        return escape("\n".join(f"{'*' if name == config.profile.name else ' '} {name}" for name in names))
    if words not in config.profiles and words != config.profile.name:
        from inarch_sdk.suggestions import nearest

        raise UsageError(f"there is no profile {words!r}", nearest(words, config.profiles) or "/profile lists them")
    if words == config.profile.name:
        return escape(f"{words} is already the profile")
    notes = await talk.recompose(talk.launch.changed(profile=words), with_grants=False)
    said = f"profile {words} from now on: {talk.app.choice().full_name}, approve {talk.app.config.profile.approve}"
    revoked = "approvals for this session were revoked"
    return escape("\n".join([said, revoked, *notes]))


async def _listed(talk: Talk, asked: str) -> str:
    """Return the current model and the available ones; the conversation remembers their numbers."""
    app = talk.app
    talk.models.clear()  # a server may have a new model
    found = [offer for _, offer in sorted((await offers(talk)).items())]
    names = [*dict.fromkeys([*(name for offer in found for name, _ in offer.rows), *app.models.offers.values()])]
    talk.listed_models = names[:MOST_LISTED]
    set_by = {model: f"  ({variable} is set)" for variable, model in app.models.offers.items()}
    wide = len(str(len(talk.listed_models)))
    lines = []
    for number, name in enumerate(talk.listed_models, 1):
        line = f"{'*' if name == asked else ' '} {number:>{wide}}  {name}{set_by.get(name, '')}"
        lines.append(shorten(line, talk.columns()))
    rest = [f"  and {len(names) - MOST_LISTED:,} more: inarch models list"] if len(names) > MOST_LISTED else []
    failed = [f"  {offer.problem}" for offer in found if offer.problem]
    heading = f"{asked} (profile {app.config.profile.name})"
    return "\n".join([heading, *lines, *rest, *failed, "/model NUMBER or /model PROVIDER/NAME switches to another one"])


async def _unknown(talk: Talk, provider: str, model: str) -> str:
    """Return why the availability of a model is unknown, or "" if it is known."""
    from inarch_sdk.suggestions import nearest

    offer = (await offers(talk)).get(provider, Offer())
    names = [name for name, _ in offer.rows]
    if offer.problem:
        return f"could not check that it exists: {offer.problem.removeprefix(f'{provider}: ')}"
    if not names or f"{provider}/{model}" in names:
        return ""
    raise UsageError(f"{provider} has no model {model!r}", nearest(f"{provider}/{model}", names))
