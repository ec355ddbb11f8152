"""Keys of services: which variables can hold them, and what an editor is told where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp import RequestError, schema

import inarch
from inarch import host
from inarch_acp.wire import plain

AUTH_REQUIRED = -32000


def methods(profile: str | None, flags: Mapping[str, Any]) -> list[schema.EnvVarAuthMethod]:
    """Return a way to sign in for each service of which Inarch knows the variable, that of the profile's model first.

    A service that Inarch reaches by a general provider is among them where the profile's model is of it: with a key
    alone nobody would ask it.
    """
    try:
        config = host.load_config(str(Path.home()), profile=profile, flags=flags)
        model, named = config.profile.model, config.profile.plugins
    except inarch.InarchError:  # a session is refused with it, by its place
        model, named = "", ()
    found = host.discover()
    known = [one for one in found.ready if one.variable and (found.plugins[one.plugin].ours or one.plugin in named)]
    offered = [one for one in known if not one.model or model.startswith(f"{one.place}/")]
    offered.sort(key=lambda one: not f"{model}/".startswith(f"{one.place}/"))
    first = {one.place: one.variable for one in reversed(offered)}  # a service may have two variables
    return [_method(place, first[place]) for place in dict.fromkeys(one.place for one in offered)]


def _method(place: str, variable: str) -> schema.EnvVarAuthMethod:
    return schema.EnvVarAuthMethod(
        type="env_var",
        id=place,
        name=f"{place}, by {variable}",
        description=f"The key of {place} in the variable {variable}. One that `inarch auth set` keeps counts, too.",
        vars=[schema.AuthEnvVar(name=variable)],
    )


def check_variable(method_id: str, offered: list[schema.EnvVarAuthMethod], environ: Mapping[str, str]) -> None:
    """Refuse a way to sign in that isn't one, or whose variable is not set.

    Raises:
        UsageError: It isn't one.
        RequestError: Its variable is not set.
    """
    method = next((one for one in offered if one.id == method_id), None)
    if method is None:
        ways = ", ".join(one.id for one in offered)
        raise inarch.UsageError(f"there is no way to sign in that is called {method_id!r}", f"one of {ways}")
    absent = [variable.name for variable in method.vars if not environ.get(variable.name, "").strip()]
    if absent:
        raise refusal(f"{absent[0]} is not set (set it in the environment of the agent, and start it again)")


def check_model(app: inarch.App, model: str = "") -> None:
    """Refuse a model, without a name the profile's, whose provider knows that its key is missing; nothing is sent.

    Raises:
        RequestError: It is missing.
        ConfigError: No plugin provides the model.
        PluginError: The provider failed.
    """
    if (model or app.config.profile.model) == "auto":  # whoever has a key is taken, or nobody has to have one
        return
    choice = app.choice(model)
    try:
        choice.check_key()
    except inarch.ConfigError as error:
        raise refusal(str(error)) from None


def refusal(why: str) -> RequestError:
    """Return the protocol's error for what can't be done without signing in."""
    return RequestError(AUTH_REQUIRED, plain(f"Authentication required: {why}"))
