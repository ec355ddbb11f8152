"""Resolution of `model = "auto"`, and findings on keys and models, for `models check` and `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from inarch import ConfigError, Finding, PluginError
from inarch_sdk.model_table import misplaced

if TYPE_CHECKING:
    from inarch import App, Choice


def auto_choice(app: App) -> tuple[str, str]:
    """Return the model that `auto` selects, and why, without sending a request."""
    try:
        choice = app.choice("auto")
    except ConfigError as error:
        return "nothing", str(error)
    return choice.full_name, "; ".join(filter(None, (choice.note, _why(app, choice))))


def keys_set(app: App) -> list[str]:
    """Return the variables of keys that are set, in the order in which `auto` tries them."""
    return [one.variable for one, is_given in app.ready.items() if is_given and one.variable]


def key_findings(app: App) -> Iterator[Finding]:
    """Yield problems with the keys that are set, and models of the profile that will be retired."""
    keys = keys_set(app)
    if {"GOOGLE_API_KEY", "GEMINI_API_KEY"} <= {*keys}:
        text = "GOOGLE_API_KEY and GEMINI_API_KEY are both set"
        yield Finding("model", "note", text, "GOOGLE_API_KEY is used, as by Google's own client: unset the other one")
    for variable in keys:
        other = misplaced(variable, app.environ.get(variable, "").strip())
        if other is not None:
            text = f"{variable} holds a key of {other.title}"
            yield Finding("model", "wrong", text, f"put it into {other.keys[0][0]}")
    profile = app.config.profile
    for name in dict.fromkeys(filter(None, (profile.model, *profile.fallback, profile.decision_model))):
        with suppress(ConfigError, PluginError):  # reported elsewhere
            if (retiring := app.models.retirement(app.choice(name))) is not None:
                yield Finding("model", "note", *retiring)


def _why(app: App, choice: Choice) -> str:
    if choice.needs_nothing:
        if choice.note:
            return ""
        named = " or ".join(f"[plugins.{one.plugin}] {one.setting}" for one in app.ready if one.setting)
        return f"no key of a service is set, and {named} names no server"
    for one, is_given in app.ready.items():
        if is_given and one.plugin == choice.provider.plugin and one.model in ("", choice.model):
            if one.setting:
                return f"your server at its {one.setting} takes connections"
            return f"{one.variable} is set"
    return "nothing else is ready"
