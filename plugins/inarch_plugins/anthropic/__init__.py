"""anthropic: Anthropic's Claude models over their own wire, Messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from attrs import Factory, frozen

import inarch

BASE_URL = "https://api.anthropic.com"
# Anthropic, pages on thinking, as of Nov 2026: the first enables `block_binding` and reports of dropped thoughts.
# Models before 4.6 think between calls only with the second. Other models ignore them.
BETAS = "thinking-binding-controls-2026-08-01,interleaved-thinking-2025-05-14"
_PROPOSED = inarch.proposed("anthropic")


@frozen(eq=False, repr=False)
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.anthropic]`.

    Args:
        model: The model of `model = "anthropic"`.
        decision_model: A cheap model for decisions.
        base_url: The service's address, with or without `/v1`; another service gets the key as well.
        cache: How long the service caches its input for the next request, `5m` or `1h`; `off` disables it.
        extra: Additional fields of every request, such as `{ service_tier = "standard_only" }`.
    """

    model: str = _PROPOSED.model
    decision_model: str = _PROPOSED.decision_model
    base_url: str = BASE_URL
    cache: Literal["5m", "1h", "off"] = "5m"
    extra: Mapping[str, Any] = Factory(dict)


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `anthropic`."""
    from inarch_plugins.anthropic.claude import KEY, Anthropic

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    key = context.environ.get(KEY, "").strip()
    base_url = settings.base_url.rstrip("/").removesuffix("/v1")
    remedy = f"make one at platform.claude.com and set {KEY}, or choose another model with --model"
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-beta": BETAS}
    return [
        Anthropic(
            service=inarch.HttpService("anthropic", base_url, headers, silence_s=settings.silence_s),
            default_model=settings.model,
            default_decision_model=settings.decision_model,
            cache="" if settings.cache == "off" else settings.cache,
            extra=settings.extra,
            missing=_PROPOSED.key_fault(KEY, key, remedy, is_own=base_url == BASE_URL),
            a_minute=settings.a_minute,
        )
    ]
