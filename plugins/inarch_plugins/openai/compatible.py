"""The plugin `openai-compatible`: any server with chat completions, on this machine or elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal

from attrs import Attribute, Factory, field, frozen, validators

import inarch
from inarch_plugins.openai.dialect import Dialect, Stated
from inarch_plugins.openai.memory import Memory
from inarch_plugins.openai.wire_choice import EitherWire

NAME = "openai-compatible"
KEY = "OPENAI_API_KEY"
_POSITIVE: Any = validators.optional(validators.gt(0))
_NOT_NEGATIVE: Any = validators.optional(validators.ge(0))


def _goes_with_input(settings: Settings, attribute: Attribute[float | None], value: float | None) -> None:
    """Refuse one price without the other: the cost of a request would still be unknown."""
    if (value is None) != (settings.input_price is None):
        raise ValueError("input_price and output_price are given together or not at all")


def _needs_input(settings: Settings, attribute: Attribute[float | None], value: float | None) -> None:
    """Refuse a price of cached input alone."""
    if value is not None and settings.input_price is None:
        raise ValueError("cached_price goes with input_price and output_price")


@frozen(eq=False, repr=False)
class Settings(inarch.ServiceSettings):
    """Settings of `[plugins.openai-compatible]`.

    Args:
        base_url: The server's address, usually ending in `/v1`, such as `http://localhost:11434/v1`.
        model: The model of `model = "openai-compatible"`; empty for the first in the server's list.
        decision_model: A cheap model for decisions; empty for the same.
        api: The wire: `chat` (chat completions), `responses`, or `auto`. Auto takes Responses for OpenAI, Azure and
            xAI, chat completions for others, and changes if the server asks for it.
        api_key_env: The variable that holds the key; "" sends none. The default is `OPENAI_API_KEY` for an `https://`
            address of another machine, else no key.
        input_price: US dollars for a million tokens of input; 0 for a server of your own.
        output_price: The same for output.
        cached_price: The same for input from the server's cache; by default the price of other input.
        context_tokens: The context of its models, if the server doesn't report it.
        output_limit: The field for the output limit: OpenAI's own service wants `max_completion_tokens`.
        extra: Additional fields of every request, such as `{ top_p = 0.9 }`.
        text_tool_calls: Whether a reply that consists only of one `<tool_call>{…}</tool_call>`, or one fenced JSON
            object, becomes a call of an offered tool. This is for small models whose server doesn't recognize the calls
            in their text.
    """

    base_url: str = ""
    model: str = ""
    decision_model: str = ""
    api: Literal["auto", "chat", "responses"] = "auto"
    api_key_env: str | None = None
    input_price: float | None = field(default=None, validator=_NOT_NEGATIVE)
    output_price: float | None = field(default=None, validator=[_NOT_NEGATIVE, _goes_with_input])
    cached_price: float | None = field(default=None, validator=[_NOT_NEGATIVE, _needs_input])
    context_tokens: int | None = field(default=None, validator=_POSITIVE)
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    extra: Mapping[str, Any] = Factory(dict)
    text_tool_calls: bool = False


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `openai-compatible`."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    service = inarch.HttpService(NAME, settings.base_url, silence_s=settings.silence_s)
    variable = _key_variable(settings, service)
    key = context.environ.get(variable, "").strip() if variable else ""
    if key:
        service.headers = {"Authorization": f"Bearer {key}"}
    provider = EitherWire(
        name=NAME,
        service=service,
        model=settings.model,
        decision_model=settings.decision_model,
        extra=settings.extra,
        missing=_missing(settings, variable, key),
        dialect=Dialect(output_limit=settings.output_limit, text_calls=settings.text_tool_calls),
        stated=Stated(_price(settings), settings.context_tokens, settings.a_minute),
        memory=Memory(service.address, context.cache_dir),
        api=settings.api,
        key_variable=variable,
    )
    return [provider]


def _key_variable(settings: Settings, service: inarch.HttpService) -> str:
    """Return the variable of the key; by default a key goes nowhere that others could read it."""
    if settings.api_key_env is not None:
        return settings.api_key_env
    return KEY if settings.base_url.startswith("https:") and not service.is_local else ""


def _missing(settings: Settings, variable: str, key: str) -> inarch.ProviderError | None:
    if not settings.base_url:
        return inarch.ProviderError(
            "request", f"{NAME} has no address",
            remedy=f'add base_url = "http://localhost:11434/v1", or your server, to [plugins.{NAME}]',
        )  # fmt: skip
    if variable and not key:
        remedy = f'set it, or name another variable in [plugins.{NAME}] api_key_env ("" for none)'
        return inarch.ProviderError("auth", f"{NAME} has no key: {variable} is not set", remedy=remedy)
    return None


def _price(settings: Settings) -> inarch.Price | None:
    if settings.input_price is None or settings.output_price is None:
        return None
    cached = None if settings.cached_price is None else Decimal(str(settings.cached_price))
    return inarch.Price(Decimal(str(settings.input_price)), Decimal(str(settings.output_price)), cached)
