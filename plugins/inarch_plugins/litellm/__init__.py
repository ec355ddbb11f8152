"""litellm: every service that the library LiteLLM knows and Inarch has no wire of its own for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import Factory, field, frozen, validators

import inarch

_NOT_NEGATIVE: Any = validators.ge(0)


@frozen
class TokenPrice:
    """A price as the user writes it, in US dollars for a million tokens.

    Args:
        input: Tokens of input.
        output: Tokens of output.
        cached: Tokens of input that the service still had; left out they cost what others do.
    """

    input: float = field(validator=_NOT_NEGATIVE)
    output: float = field(validator=_NOT_NEGATIVE)
    cached: float | None = field(default=None, validator=validators.optional(_NOT_NEGATIVE))


@frozen
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.litellm]`.

    Args:
        model: Model of `model = "litellm"`, such as `anthropic/claude-sonnet-5-5`.
        decision_model: Cheap model for decisions. Empty: the same model.
        api_base: Address for all requests, such as a gateway.
        api_key_env: Variable with the key. "" sends none. Default: `SERVICE_API_KEY`, such as `ANTHROPIC_API_KEY`, else
            LiteLLM's credentials.
        extra: Additional request arguments, such as `{ reasoning_effort = "low" }`.
        prices: Prices by model name, which override LiteLLM's table.
        cache_marks: Whether requests to Anthropic models ask for caching. Cached input costs a tenth or less, and a
            quarter more at first.
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
