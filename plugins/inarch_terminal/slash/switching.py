"""`/model NAME` and `/profile`: another model or profile from now on; a running turn is not touched."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from inarch import UsageError, escape
from inarch_terminal.slash.models import LISTING_S, list_models, picked

if TYPE_CHECKING:
    from inarch import ModelProvider
    from inarch_terminal.slash.talk import Talk


async def model(talk: Talk, words: str) -> str:
    """List the models to choose from; with words, ask that one from now on: the number in the list, or a name.

    Raises:
        ConfigError: No plugin provides it, several do, or its key is not there.
        UsageError: Its provider has no such model.
    """
    from inarch.host import discover

    old = talk.app.choice().full_name
    if not words:
        return escape(await list_models(talk, old))
    if any(letter.isspace() for letter in words):
        raise UsageError(f"{words!r} is no model", "write PROVIDER/NAME, PROVIDER or auto")
    words = talk.app.model_name(picked(talk, words))
    provider = words.partition("/")[0]
    launch = talk.launch.changed(model=words)
    notes: list[str] = []
    if provider != "auto" and provider not in talk.app.composition.models and provider in discover().plugins:
        notes += await talk.recompose(launch, with_grants=True)
    choice = await talk.app.find_choice(words)
    told = choice.check_key()
    unknown = await _unknown(choice.provider.value, choice.provider.plugin, choice.model)
    note = "; ".join(filter(None, (told, unknown)))
    new = await talk.session.set_model(words, "asked for with /model")
    talk.app.config = talk.session.state.config
    talk.launch = launch
    said = f"{new} is asked from now on" if new != old else f"{new} is the model already"
    return escape("\n".join([f"{said}{f' ({note})' if note else ''}", *notes]))


async def profile(talk: Talk, words: str) -> str:
    """Return the profiles; with words, go on with that one.

    Raises:
        ConfigError: There is no such profile, or it is not usable.
    """
    config = talk.app.config
    if not words:
        names = sorted({*config.profiles, config.profile.name})
        return escape("\n".join(f"{'*' if name == config.profile.name else ' '} {name}" for name in names))
    if words not in config.profiles and words != config.profile.name:
        from inarch_sdk.nearest import nearest

        raise UsageError(f"there is no profile {words!r}", nearest(words, config.profiles) or "/profile lists them")
    if words == config.profile.name:
        return escape(f"{words} is the profile already")
    notes = await talk.recompose(talk.launch.changed(profile=words), with_grants=False)
    said = f"profile {words} from now on: {talk.app.choice().full_name}, approve {talk.app.config.profile.approve}"
    revoked = "what was approved for this session has to be approved again"
    return escape("\n".join([said, revoked, *notes]))


async def _unknown(provider: ModelProvider, plugin: str, model: str) -> str:
    """Return why it is not known whether a model is there, "" where it is.

    Raises:
        UsageError: Its provider offers others and not this one.
    """
    from inarch import PluginError, ProviderError
    from inarch.host import guarded
    from inarch_sdk.nearest import nearest

    if model == provider.default_model:
        return ""
    try:
        async with asyncio.timeout(LISTING_S):
            with guarded(plugin, "provider", passes=(ProviderError,)):
                offered = [info.name for info in await provider.models()]
    except (PluginError, ProviderError, TimeoutError) as error:
        return f"whether it is there is not known: {error or 'no answer'}"
    if not offered or model in offered:
        return ""
    raise UsageError(
        f"{provider.name} has no model {model!r}",
        nearest(f"{provider.name}/{model}", [f"{provider.name}/{name}" for name in offered]),
    )
