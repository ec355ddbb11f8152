"""gemini: Google's Gemini models over their own wire, generateContent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen, validators

import inarch

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
_POSITIVE: Any = validators.gt(0)


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.gemini]`.

    Args:
        base_url: Where the API is; another one gets the key as well.
        thinking: Whether to ask for the model's thoughts, which are shown as reasoning.
        silence_s: Seconds without a byte after which a reply is given up and asked for again.
        requests_per_minute: How many requests a minute your plan allows of one model; not given, it is not known.
        tokens_per_minute: How many tokens a minute.
    """

    base_url: str = BASE_URL
    thinking: bool = True
    silence_s: float = field(default=120.0, validator=_POSITIVE)
    requests_per_minute: int | None = field(default=None, validator=validators.optional(_POSITIVE))
    tokens_per_minute: int | None = field(default=None, validator=validators.optional(_POSITIVE))


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `gemini`."""
    from inarch_gemini.listing import Listing
    from inarch_gemini.provider import KEY, Gemini

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    key = context.environ.get(KEY, "").strip()
    missing = None if key else inarch.ProviderError("auth", f"{KEY} is not set", remedy=f"set {KEY} to your key")
    headers = {"x-goog-api-key": key}
    service = inarch.HttpService("gemini", settings.base_url, headers, silence_s=settings.silence_s)
    a_minute = inarch.Limits(
        requests_per_minute=settings.requests_per_minute, tokens_per_minute=settings.tokens_per_minute
    )
    return [Gemini(service, Listing(context.cache_dir), settings.thinking, missing, a_minute)]
