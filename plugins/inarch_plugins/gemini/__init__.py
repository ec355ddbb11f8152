"""gemini: Google's Gemini models over their own wire, generateContent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

import inarch

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"


@frozen(eq=False, repr=False)
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.gemini]`.

    Args:
        base_url: The API's address; another service gets the key as well.
        thinking: Whether to ask for the model's thoughts, which are shown as reasoning.
    """

    base_url: str = BASE_URL
    thinking: bool = True


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `gemini`."""
    from inarch_plugins.gemini.provider import KEYS, PROPOSED, Gemini

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    keys = {name: key for name in KEYS if (key := context.environ.get(name, "").strip())}
    name, key = next(iter(keys.items()), (KEYS[-1], ""))
    service = inarch.HttpService("gemini", settings.base_url, {"x-goog-api-key": key}, silence_s=settings.silence_s)
    remedy = f"make one at aistudio.google.com and set {name}, or choose another model with --model"
    missing = PROPOSED.key_fault(name, key, remedy, is_own=settings.base_url == BASE_URL)
    return [Gemini(service, settings.thinking, missing, settings.a_minute, name, _remark(keys))]


def _remark(keys: Mapping[str, str]) -> str:
    """Return a note on which key is used, "" if there is no doubt."""
    return f"{' and '.join(keys)} are both set: {next(iter(keys))} is used" if len({*keys.values()}) > 1 else ""
