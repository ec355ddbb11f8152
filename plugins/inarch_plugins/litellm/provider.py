"""Provider of any model that the library can reach, under the library's own name for it."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from attrs import define, evolve, field

from inarch import (
    Delta,
    HttpService,
    KnownModel,
    Limits,
    ModelInfo,
    ModelRequest,
    Price,
    ProviderError,
    price_table,
    token_count,
)
from inarch_plugins.litellm.service_keys import missing_of, several_of, variable_of

if TYPE_CHECKING:
    from inarch_plugins.litellm import Settings
    from inarch_plugins.litellm.requests import Encoder


NAME = "litellm"
NO_KEY = "none"
"""Replacement for an unneeded key: some services' clients refuse to be made without one."""
REMEDY = (
    f'set it, store it with `inarch auth set`, or name another variable in [plugins.{NAME}] api_key_env ("" for none)'
)


@define(eq=False, repr=False)
class LiteLLM:
    """`ModelProvider` over `litellm.acompletion`."""

    settings: Settings
    environ: Mapping[str, str]
    name: str = field(init=False, default=NAME)
    _encoder: Encoder | None = field(init=False, default=None)
    _without: dict[str, frozenset[str]] = field(init=False, factory=dict)
    _over_responses: set[str] = field(init=False, factory=set)

    @property
    def service(self) -> HttpService | None:
        """Return the address of all requests, None if each goes to its model's service."""
        return HttpService(NAME, self.settings.api_base) if self.settings.api_base else None

    @property
    def default_model(self) -> str:
        """Return the configured model, "" if there is none."""
        return self.settings.model

    @property
    def default_decision_model(self) -> str:
        """Return the configured cheap model, else the default one."""
        return self.settings.decision_model or self.settings.model

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply."""
        from inarch_plugins.litellm.chunks import Chunks

        if not request.model:
            raise ProviderError(
                "request", "litellm was given no model", remedy='name one: --model "litellm/SERVICE/MODEL"'
            )
        self.check_key(request.model)
        service = f"{NAME}/{request.model.partition('/')[0]}"
        key = self._key(request.model)
        chunks = Chunks(request.model)
        stream: Any = None
        try:
            stream = await self._opened(request, key)
            async for chunk in stream:
                for delta in chunks.read(chunk):
                    yield delta
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001  # the library raises whatever any service's own code does
            raise self._failure(error, service, key) from None
        finally:
            if stream is not None:
                await stream.aclose()  # without it a reply that was left goes on in the background
        for delta in chunks.end(_told_finish(stream), _told_usage(stream)):
            yield delta

    async def models(self) -> Sequence[ModelInfo]:
        """Return the configured models, and those in the library's table whose service has a key."""
        found = {name: self.find(name) for name in (self.default_model, self.default_decision_model) if name}
        for known in price_table().all():
            if known.service and self.environ.get(variable_of(known.service)):
                prefix = f"{known.service}/"
                found[known.name if known.name.startswith(prefix) else prefix + known.name] = known
        return [
            ModelInfo(name, "", known.limits.context_tokens if known is not None else None)
            for name, known in sorted(found.items())
        ]

    def check_key(self, model: str) -> str:
        """Refuse a model whose service requires a missing key; return a note on missing optional variables.

        Raises:
            ProviderError: The variable of the key is not set.
        """
        variable, (service, slash, _) = self.settings.api_key_env, model.partition("/")
        if variable is None and slash and not self.settings.api_base and "api_key" not in self.settings.extra:
            variable = missing_of(service, self.environ)
        if variable and not self.environ.get(variable, "").strip():
            raise ProviderError("auth", f"{NAME}/{model} needs a key: {variable} is not set", remedy=REMEDY)
        is_told = self.settings.api_key_env is not None or self.settings.api_base
        missing = "" if is_told else several_of(service, self.environ)
        return f"{NAME}/{service} {missing}; else LiteLLM looks for credentials of other kinds" if missing else ""

    def limits(self, model: str) -> Limits:
        """Return the library's limits of a model, and the user's for a minute."""
        known = self.find(model)
        limits = known.limits if known is not None else Limits()
        of_the_model = {"context_tokens": limits.context_tokens, "output_tokens": limits.output_tokens}
        return evolve(self.settings.a_minute, **of_the_model)

    def price(self, model: str) -> Price | None:
        """Return the price from the user, else that of the library's table."""
        told = self.settings.prices.get(model)
        if told is not None:
            cached = None if told.cached is None else Decimal(str(told.cached))
            return Price(Decimal(str(told.input)), Decimal(str(told.output)), cached)
        known = self.find(model)
        return known.price if known is not None else None

    def find(self, model: str) -> KnownModel | None:
        """Return a model's entry in the table, which lists it with or without its service's name."""
        table = price_table()
        service, _, rest = model.partition("/")
        return table.find(model) or (table.find(rest, service) if rest else None)

    def takes_effort(self, model: str) -> bool:
        """Return whether the library's table says that the model thinks, or lacks the model."""
        known = self.find(model)
        return known is None or bool(known.efforts)

    async def close(self) -> None:
        """Close the library's connections, if no other provider uses them; may be called twice."""
        from inarch_plugins.litellm.library import end_use

        await end_use(self)

    async def _opened(self, request: ModelRequest, key: str) -> Any:
        """Send a request and return the stream; optional arguments that a service does not know are left out."""
        from inarch_plugins.litellm.library import begin_use, library
        from inarch_plugins.litellm.requests import DISPENSABLE, Encoder

        if self._encoder is None:
            self._encoder = Encoder(self.name, self.settings.extra, self.settings.cache_marks)
        litellm = await library()
        await begin_use(self)
        without = self._without.get(request.model, frozenset())
        options = self._options(key)
        known = self.find(request.model) if request.effort is not None else None
        efforts = known.efforts if known is not None else ()
        try:
            return await self._asked(litellm, options | self._encoder.arguments(request, without, efforts))
        except litellm.UnsupportedParamsError:
            if without:
                raise
        fewer = frozenset(DISPENSABLE)
        stream = await self._asked(litellm, options | self._encoder.arguments(request, fewer, efforts))
        self._without[request.model] = fewer
        return stream

    async def _asked(self, litellm: Any, arguments: dict[str, Any]) -> Any:
        """Return the stream: over Responses if the model requires that, or its service says so."""
        model = str(arguments["model"])
        if model not in self._over_responses and not wants_responses(model, self.settings.api_base):
            try:
                return await litellm.acompletion(**arguments)
            except Exception as error:
                if not is_refusal(error, model):
                    raise
        stream = await litellm.acompletion(**over_responses(arguments))
        self._over_responses.add(model)
        return stream

    def _options(self, key: str) -> dict[str, Any]:
        options: dict[str, Any] = {
            "timeout": self.settings.silence_s,
            "num_retries": 0,  # the library would retry at once, whatever Retry-After says; the kernel waits
            "max_retries": 0,
            "no-log": True,
            # Without it, the library checks tools with code that needs the package `mcp`, which it does not depend on.
            "_skip_mcp_handler": True,
        }
        if self.settings.api_base:
            options["api_base"] = self.settings.api_base
        if key:
            options["api_key"] = key
        return options

    def _key(self, model: str) -> str:
        """Return the key of a model's service; with "" the library looks for credentials."""
        variable = self.settings.api_key_env
        if variable == "":
            return NO_KEY
        service, slash, _ = model.partition("/")
        variable = variable or (variable_of(service) if slash else "")
        return self.environ.get(variable, "").strip() if variable else ""

    def _failure(self, error: Exception, service: str, key: str) -> ProviderError:
        from inarch_plugins.litellm.failures import failure, hiding

        hide: Callable[[str], str] = hiding(self.environ, key)
        missing = several_of(service.removeprefix(f"{NAME}/"), self.environ)
        return failure(error, service, self.settings.silence_s, hide, missing)


def _told_finish(stream: Any) -> str | None:
    """Return the service's own finish reason, "" if it gave none, None if the stream does not store it."""
    told = [getattr(stream, name, None) for name in ("received_finish_reason", "intermittent_finish_reason")]
    return next((str(one) for one in told if one), "") if hasattr(stream, "received_finish_reason") else None


def _told_usage(stream: Any) -> bool:
    """Return whether the service reported its usage: the library counts what a report lacks."""
    kept = getattr(stream, "chunks", None)
    reports = [usage for chunk in kept or () if (usage := getattr(chunk, "usage", None)) is not None]
    names = ("prompt_tokens", "completion_tokens")
    return kept is None or all(any(token_count(getattr(one, name, None)) for one in reports) for name in names)


SERVICES = frozenset({"openai", "azure"})
PREFIX = "responses/"
"""Prefix of a model's name with which LiteLLM uses that API."""
FIRST = (5, 4)
"""First version that refuses function tools while it reasons (OpenAI's model pages, as of Nov 2026)."""
REFUSAL = "/v1/responses"
"""Part of the refusal: "To use function tools, use /v1/responses or set reasoning_effort to 'none'."."""
_VERSION = re.compile(r"^gpt-(\d+)(?:\.(\d+))?(?![\dk])")
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")


def wants_responses(model: str, api_base: str) -> bool:
    """Return whether a model uses Responses from the start: by its version, and only at OpenAI's own address.

    A gateway may know the name and lack the API; then its refusal says so.
    """
    service, _, name = model.partition("/")
    address = api_base or next((found for one in _ADDRESSES if (found := os.environ.get(one, "").strip())), "")
    host = urlsplit(address).hostname or ""
    if service != "openai" or (address and host != "api.openai.com" and not host.endswith(".api.openai.com")):
        return False
    version = _VERSION.match(name)
    return version is not None and (int(version[1]), int(version[2] or 0)) >= FIRST


def over_responses(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that send a request to Responses without storing it."""
    service, _, name = str(arguments["model"]).partition("/")
    stateless = {"store": False, "include": ["reasoning.encrypted_content"]}
    return {**stateless, **arguments, "model": f"{service}/{PREFIX}{name.removeprefix(PREFIX)}"}


def is_refusal(error: Exception, model: str) -> bool:
    """Return whether a service refused chat completions for a model that it serves over Responses."""
    return model.partition("/")[0] in SERVICES and REFUSAL in str(error)
