"""A `ModelProvider` that speaks chat completions or Responses, by address, by model and by what the server says."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Literal

from attrs import define, evolve

from inarch import Delta, HttpService, Limits, ModelInfo, ModelRequest, Price, ProviderError, ProviderNote
from inarch_openai.addresses import is_absent, prefers_responses
from inarch_openai.memory import Memory
from inarch_openai.provider import FIRST, ChatCompletions
from inarch_openai.responses.wire import Responses

Api = Literal["auto", "chat", "responses"]
_TOPIC = "api"
# OpenAI, Nov 2026: "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use
# function tools, use /v1/responses or set reasoning_effort to 'none'." and "only supported in v1/responses".
_ASKS_FOR_RESPONSES = re.compile(r"\bv1/responses\b")


@define(eq=False, repr=False)
class EitherWire:
    """A `ModelProvider` over one wire or the other; what is not a request is the same for both.

    Args:
        chat: Asks over chat completions, and knows models, limits and prices.
        responses: Asks over Responses.
        memory: Keeps over which wire a model answered after it was refused over the other.
        api: The wire that the user chose; `auto` leaves it to the address and to what the server says.
    """

    chat: ChatCompletions
    responses: Responses
    memory: Memory
    api: Api = "auto"

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.chat.name

    @property
    def service(self) -> HttpService:
        """Where requests go."""
        return self.chat.service

    @property
    def default_model(self) -> str:
        """The model that is configured, else the first that the server listed."""
        return self.chat.default_model

    @property
    def default_decision_model(self) -> str:
        """The cheap model that is configured, else the default one."""
        return self.chat.default_decision_model

    async def find_default(self) -> None:
        """Ask the service for its first model, if none is configured and it was not asked yet.

        Raises:
            ProviderError: It failed.
        """
        await self.chat.find_default()

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply.

        Raises:
            ProviderError: It failed.
        """
        self.check_key(request.model)
        if request.model in ("", FIRST):
            await self.find_default()
            request = evolve(request, model=self.default_model)
        api, is_other = self._api(request.model), False
        while True:
            has_begun = False
            try:
                async with aclosing((self.chat if api == "chat" else self.responses).answer(request)) as deltas:
                    async for delta in deltas:
                        if not has_begun and is_other:
                            self.memory.keep(request.model, _TOPIC, [api])
                            yield ProviderNote(f"{request.model} is asked over {api} from now on", repair=True)
                        has_begun = True
                        yield delta
                return
            except ProviderError as error:
                other = self._other(api, error)
                if has_begun or is_other or other is None:
                    raise self._naming_the_key(error) from None
                api, is_other = other, True

    async def models(self) -> Sequence[ModelInfo]:
        """Ask the service for its models.

        Raises:
            ProviderError: It failed.
        """
        return await self.chat.models()

    def check_key(self, model: str) -> None:
        """Refuse every model if what each request needs is not configured.

        Raises:
            ProviderError: It isn't.
        """
        self.chat.check_key(model)

    def limits(self, model: str) -> Limits:
        """Return what the service or the user has told of a model's limits."""
        return self.chat.limits(model)

    def price(self, model: str) -> Price | None:
        """Return the price that the user or the service has told."""
        return self.chat.price(model)

    def takes_effort(self, model: str) -> bool:
        """Whether the service takes it for the model."""
        return self.chat.takes_effort(model)

    async def close(self) -> None:
        """Close the connections."""
        await self.chat.close()

    def _naming_the_key(self, error: ProviderError) -> ProviderError:
        variable = self.chat.key_variable
        return error.with_text(remedy=f"check the key in {variable}") if error.status == 401 and variable else error

    def _api(self, model: str) -> str:
        if self.api != "auto":
            return self.api
        known = self.memory.words(model, _TOPIC)
        return known[0] if known else "responses" if prefers_responses(self.chat.service.base_url) else "chat"

    def _other(self, api: str, error: ProviderError) -> str | None:
        """Return the wire to take instead, None if the error is not about the wire."""
        if self.api != "auto":
            return None
        if api == "chat":
            asks = error.status in (400, 404) and _ASKS_FOR_RESPONSES.search(error.message)
            return "responses" if asks else None
        return "chat" if is_absent(error) else None
