"""The plugin `openrouter`: every model of OpenRouter, with a key in `OPENROUTER_API_KEY`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Factory, frozen

import inarch
from inarch_plugins.openai.dialect import Dialect, Stated
from inarch_plugins.openai.memory import Memory
from inarch_plugins.openai.provider import ChatCompletions

KEY = "OPENROUTER_API_KEY"
BASE_URL = "https://openrouter.ai/api/v1"
_OURSELVES = {"X-Title": "Inarch"}
"""The program's title for OpenRouter; `HTTP-Referer`, its address, is left out while the project has none."""
_PROPOSED = inarch.proposed("openrouter")


@frozen(eq=False, repr=False)
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.openrouter]`.

    Args:
        model: The model of `model = "openrouter"` and of `auto`.
        decision_model: A cheap model for decisions.
        provider: OpenRouter's `provider` field of every request: which companies may serve it, in which order.
        extra: Additional fields of every request, such as `{ reasoning = { effort = "low" } }`.
        cache_marks: Whether requests to Anthropic's models mark input to cache. Cached input costs a tenth or less, by
            model, and a quarter more the first time.
        base_url: The service's address.
    """

    model: str = _PROPOSED.model
    decision_model: str = _PROPOSED.decision_model
    provider: Mapping[str, Any] = Factory(dict)
    extra: Mapping[str, Any] = Factory(dict)
    cache_marks: bool = True
    base_url: str = BASE_URL


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `openrouter`."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    key = context.environ.get(KEY, "").strip()
    headers = {**_OURSELVES, "Authorization": f"Bearer {key}"} if key else _OURSELVES
    routing = {"provider": dict(settings.provider)} if settings.provider else {}
    is_own = settings.base_url == BASE_URL
    service = inarch.HttpService("openrouter", settings.base_url, headers, silence_s=settings.silence_s)
    return [
        ChatCompletions(
            name="openrouter",
            service=service,
            model=settings.model,
            decision_model=settings.decision_model,
            extra={"usage": {"include": True}, **routing, **settings.extra},
            missing=_PROPOSED.key_fault(KEY, key, _REMEDY, is_own=is_own),
            dialect=Dialect(effort=_effort, marks=_wants_marks if settings.cache_marks else None, tells_cost=True),
            stated=Stated(a_minute=settings.a_minute),
            cache_dir=context.cache_dir,
            memory=Memory(service.address, context.cache_dir),
            key_variable=KEY,
        )
    ]


def _wants_marks(model: str) -> bool:
    """Return whether input to cache must be marked: the companies of all other models cache it themselves."""
    return model.startswith("anthropic/")


def _effort(effort: inarch.Effort) -> dict[str, Any]:
    """Return OpenRouter's field for an effort; it converts it to the nearest that the model has."""
    return {"reasoning": {"effort": "xhigh" if effort == "max" else effort}}


_REMEDY = f"make one at openrouter.ai/keys and set {KEY}, or choose another model with --model"
