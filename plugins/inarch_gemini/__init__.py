"""gemini: Google's Gemini models over their own wire, generateContent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen, validators

import inarch

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
"""Variables of the key: the first that is set counts, as for Google's own client (google-genai 3.6.1)."""
MODEL = "gemini-flash-latest"
DECISION_MODEL = "gemini-3.5-flash-lite"
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
    from inarch_gemini.provider import Gemini

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    keys = {name: key for name in KEYS if (key := context.environ.get(name, "").strip())}
    name, key = next(iter(keys.items()), (KEYS[-1], ""))
    service = inarch.HttpService("gemini", settings.base_url, {"x-goog-api-key": key}, silence_s=settings.silence_s)
    a_minute = inarch.Limits(
        requests_per_minute=settings.requests_per_minute, tokens_per_minute=settings.tokens_per_minute
    )
    missing = _key_fault(name, key, settings.base_url)
    listing = Listing(context.cache_dir)
    return [Gemini(service, listing, settings.thinking, missing, a_minute, name, _remark(keys))]


def _key_fault(name: str, key: str, base_url: str) -> inarch.ProviderError | None:
    """Return why the key cannot work; a gateway at another address has keys of its own."""
    if not key:
        return inarch.ProviderError("auth", f"{name} is not set", remedy=f"set {name} to your key")
    if base_url == BASE_URL and key.startswith("sk-"):
        whose = {"sk-ant-": "Anthropic's", "sk-or-": "OpenRouter's"}
        owner = next((one for prefix, one in whose.items() if key.startswith(prefix)), "OpenAI's")
        message = f"{name} does not hold a key of Google: this looks like {owner}"
        remedy = f"make one at aistudio.google.com and set {name}, or choose another model with --model"
        return inarch.ProviderError("auth", message, remedy=remedy, was_sent=False)
    return None


def _remark(keys: Mapping[str, str]) -> str:
    """Return which key is used, "" if there is no doubt."""
    return f"{' and '.join(keys)} are both set: {next(iter(keys))} is used" if len({*keys.values()}) > 1 else ""
