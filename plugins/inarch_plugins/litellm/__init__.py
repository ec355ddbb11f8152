"""litellm: services that the library LiteLLM supports and Inarch has no wire of its own for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Factory, field, frozen, validators

import inarch

_NOT_NEGATIVE: Any = validators.ge(0)


@frozen
class TokenPrice:
    """Price in the configuration, in US dollars for a million tokens."""

    input: float = field(validator=_NOT_NEGATIVE)
    output: float = field(validator=_NOT_NEGATIVE)
    cached: float | None = field(default=None, validator=validators.optional(_NOT_NEGATIVE))


@frozen
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.litellm]`.

    Args:
        model: The model of `model = "litellm"`, such as `anthropic/claude-sonnet-5-5`.
        decision_model: A cheap model for decisions; empty for the same.
        api_base: The address for requests of every model instead of the service's own, such as a gateway.
        api_key_env: The variable that holds the key; "" sends none. The default is `SERVICE_API_KEY`, such as
            `ANTHROPIC_API_KEY`. For services without such a variable, LiteLLM finds the credentials.
        extra: Additional arguments of every request, such as `{ reasoning_effort = "low" }`.
        prices: Prices by model name; they take precedence over LiteLLM's table.
        cache_marks: Whether requests to Anthropic's models mark input to cache. Cached input costs a tenth or less, and
            a quarter more the first time.
    """

    model: str = ""
    decision_model: str = ""
    api_base: str = ""
    api_key_env: str | None = None
    extra: Mapping[str, Any] = Factory(dict)
    prices: Mapping[str, TokenPrice] = Factory(dict)
    cache_marks: bool = True


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `litellm`.

    Raises:
        PluginError: The library is not installed.
    """
    from importlib.machinery import PathFinder

    from inarch_plugins.litellm.provider import LiteLLM

    if PathFinder.find_spec("litellm") is None:
        raise inarch.PluginError(
            "needs the library LiteLLM, which is not installed",
            plugin="litellm",
            door="load",
            remedy="pip install litellm",
        )
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    return [LiteLLM(settings, context.environ)]
