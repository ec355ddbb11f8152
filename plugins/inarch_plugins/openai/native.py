"""The plugin `openai`: OpenAI's models over its Responses wire, with a key in `OPENAI_API_KEY` or a sign-in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Factory, frozen

import inarch
from inarch_plugins.openai.dialect import Stated
from inarch_plugins.openai.memory import Memory
from inarch_plugins.openai.wire_choice import OPENAI, EitherWire, completed, is_openai

NAME = "openai"
KEY = "OPENAI_API_KEY"
SIGN_IN = "OPENAI_CHATGPT_TOKEN"
"""Token of a sign-in with ChatGPT, which expires; it is for OpenAI's own address only."""
_PROPOSED = inarch.proposed(NAME)
_REMEDY = f"make one at platform.openai.com/api-keys and set {KEY}, or run: inarch auth login openai"


@frozen(eq=False, repr=False)
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.openai]`.

    Args:
        model: The model of `model = "openai"`.
        decision_model: A cheap model for decisions.
        extra: Additional fields of every request, such as `{ service_tier = "flex" }`.
        base_url: The service's address, with or without `/v1` at its end: OpenAI, or another with the Responses wire.
    """

    model: str = _PROPOSED.model
    decision_model: str = _PROPOSED.decision_model
    extra: Mapping[str, Any] = Factory(dict)
    base_url: str = OPENAI


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `openai`."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    url = completed(settings.base_url)
    key = context.environ.get(KEY, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    is_signed_in = not key and url == OPENAI and SIGN_IN in context.environ
    authorize = inarch.bearer_of(context.environ, SIGN_IN) if is_signed_in else None
    service = inarch.HttpService(NAME, url, headers, silence_s=settings.silence_s, authorize=authorize)
    return [
        EitherWire(
            name=NAME,
            service=service,
            api="responses",
            model=settings.model,
            decision_model=settings.decision_model,
            extra=settings.extra,
            memory=Memory(url, context.cache_dir),
            key_variable=KEY,
            missing=None if is_signed_in else _PROPOSED.key_fault(KEY, key, _REMEDY, is_own=is_openai(url)),
            cache_dir=context.cache_dir,
            stated=Stated(a_minute=settings.a_minute),
        )
    ]
