"""`ModelProvider` for chat completions: sends the kernel's requests, converts the wire's chunks to deltas."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import chain
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import (
    Delta,
    HttpService,
    Limits,
    ModelInfo,
    ModelRequest,
    Price,
    ProviderError,
    ProviderNote,
    join_deltas,
)
from inarch_plugins.openai.dialect import Dialect, Stated
from inarch_plugins.openai.memory import Memory

if TYPE_CHECKING:
    from inarch_plugins.openai.chat_request import Encoder
    from inarch_plugins.openai.contexts import LocalContexts
    from inarch_plugins.openai.offers import Offers
    from inarch_plugins.openai.responses.requests import Encoder as ItemsEncoder
    from inarch_plugins.openai.text_calls import WrittenCalls

_NO_TOOLS = r"(not|n't) support (tools|tool use|tool call|function call)|support tool use|tools? (is|are) not supported"
MEMBERS = "members"
"""Topic under which refused fields are remembered."""
MOST_TRIES = 3
"""Maximum requests without refused fields."""
_NO_TOOLS_REMEDY = "name a model that can call tools: inarch models check shows whether one can"
FIRST = "first"
"""Key for the first model in a server's list, used if no model is named."""


@define(eq=False, repr=False)
class ChatCompletions:
    """`ModelProvider` over chat completions.

    Args:
        model: Used if no model is named; empty for the first in the server's list.
        missing: The error message if a setting that every request needs is missing.
        cache_dir: The folder for the list of models with prices; empty for none.
        key_variable: The variable of the key; empty if none is sent.
    """

    name: str
    service: HttpService
    model: str = ""
    decision_model: str = ""
    extra: Mapping[str, Any] = field(factory=dict)
    missing: ProviderError | None = None
    dialect: Dialect = field(factory=Dialect)
    stated: Stated = field(factory=Stated)
    cache_dir: str = ""
    memory: Memory = field(factory=lambda: Memory(""))
    key_variable: str = ""
    _encoder: Encoder | None = field(init=False, default=None)
    _offers: Offers | None = field(init=False, default=None)
    _contexts: LocalContexts | None = field(init=False, default=None)

    @property
    def default_model(self) -> str:
        """Return the configured model, else the first that the server listed, if it was asked."""
        return self.model or (self._offers.first if self._offers else "") or FIRST

    @property
    def default_decision_model(self) -> str:
        """Return the configured cheap model, else the default one."""
        return self.decision_model or self.default_model

    async def find_default(self) -> None:
        """Ask the service for its first model if none is configured, unless it was asked before."""
        if not self.model:
            self._check()
            await self._first()

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply."""
        self._check()
        if request.model in ("", FIRST) and not self.model:
            request = evolve(request, model=await self._first())
        from inarch_plugins.openai.chunks import Chunks

        chunks, written = Chunks(self.service, request.model, self.dialect.tells_cost), self._written(request)
        encoder = self._known_encoder()
        async with aclosing(self._asked("/chat/completions", request, encoder, chunks.read)) as deltas:
            async for delta in deltas:
                for one in (delta,) if written is None else written.take(delta):
                    yield one
        for delta in chunks.end():
            for one in (delta,) if written is None else written.take(delta):
                yield one
        for delta in () if written is None else written.rest():
            yield delta

    async def _asked(
        self, path: str, request: ModelRequest, encoder: Encoder | ItemsEncoder, read: Callable[[Any], Iterable[Delta]]
    ) -> AsyncGenerator[Delta]:
        """Yield the pieces of the reply; if a field is refused by name, leave it out or rename it and retry."""
        from inarch_plugins.openai.members import changed, refused

        changes, tries = tuple(self.memory.words(request.model, MEMBERS)), 0
        plain = encoder.options(request)
        while True:
            options = changed(plain, changes) if changes else plain
            body = encoder.body(request, options)
            if self.service.is_local and self.limits(request.model).context_tokens is None:
                await self._local_contexts().check(request.model, body)
            has_begun = False
            try:
                async with aclosing(self.service.batches(path, body)) as batches:
                    async for values in batches:
                        for delta in join_deltas(chain.from_iterable(map(read, values))):
                            if tries and not has_begun:
                                self.memory.keep(request.model, MEMBERS, changes)
                                yield ProviderNote(f"{self.name} does not take {', '.join(changes)}", repair=True)
                            has_begun = True
                            yield delta
                return
            except ProviderError as error:
                is_over = has_begun or tries == MOST_TRIES
                more = () if is_over else [one for one in refused(error, options) if one not in changes]
                if not more:
                    raise self._explained(error, request) from None
                changes, tries = (*changes, *more), tries + 1

    async def models(self) -> Sequence[ModelInfo]:
        """Ask the service for its models."""
        self._check()
        offers = self._known_offers()
        try:
            offers.take(await self.service.get("/models"), self.service)
        except ProviderError as error:
            raise self._naming_the_key(error) from None
        return [
            ModelInfo(one.name, one.description, one.context_tokens or self.stated.context_tokens, one.retires)
            for one in offers.models.values()
        ]

    def check_key(self, model: str) -> None:
        """Refuse every model if a setting that each request needs is missing."""
        self._check()

    def limits(self, model: str) -> Limits:
        """Return the known limits of a model, from the service or the user."""
        offer = self._known_offers().models.get(model)
        if offer is None:
            return evolve(self.stated.a_minute, context_tokens=self.stated.context_tokens)
        context_tokens = self.stated.context_tokens or offer.context_tokens
        return evolve(self.stated.a_minute, context_tokens=context_tokens, output_tokens=offer.output_tokens)

    def price(self, model: str) -> Price | None:
        """Return the known price, from the user or the service; never asks for it."""
        if self.stated.price is not None:
            return self.stated.price
        offer = self._known_offers().models.get(model)
        return offer.price if offer is not None and self.dialect.tells_cost else None

    def takes_effort(self, model: str) -> bool:
        """Return whether the service accepts an effort for the model; by default it gets one."""
        offer = self._known_offers().models.get(model)
        return offer is None or offer.reasons is not False

    async def close(self) -> None:
        """Close the connections."""
        await self.service.close()

    def _check(self) -> None:
        if self.missing is not None:
            raise self.missing.with_text()  # each time a new one: an error collects the traces of where it was raised

    def _written(self, request: ModelRequest) -> WrittenCalls | None:
        """Return the reader of calls written as text, if it is enabled and calls are possible."""
        if not self.dialect.text_calls or not request.tools or request.tool_choice == "none":
            return None
        from inarch_plugins.openai.text_calls import WrittenCalls

        return WrittenCalls(request)

    def _known_encoder(self) -> Encoder:
        if self._encoder is None:
            from inarch_plugins.openai.chat_request import Encoder

            self._encoder = Encoder(self.name, self.extra, self.dialect, self.service.address)
        return self._encoder

    def _explained(self, error: ProviderError, request: ModelRequest) -> ProviderError:
        """Return the error with its remedy."""
        if request.tools and error.kind == "request" and re.search(_NO_TOOLS, error.message, re.I):
            return error.with_text(remedy=_NO_TOOLS_REMEDY)
        return self._naming_the_key(error)

    def _naming_the_key(self, error: ProviderError) -> ProviderError:
        """Return the error; if the service refused the key, it names the variable of the key."""
        if error.status != 401:
            return error
        if self.key_variable:
            remedy = f"check the key in {self.key_variable}"
        else:
            remedy = f"it wants a key and none was sent: name its variable in [plugins.{self.name}] api_key_env"
        return error.with_text(remedy=remedy)

    def _known_offers(self) -> Offers:
        if self._offers is None:
            from inarch_plugins.openai.offers import Offers

            self._offers = Offers.kept_in(self.cache_dir)
        return self._offers

    def _local_contexts(self) -> LocalContexts:
        if self._contexts is None:
            from inarch_plugins.openai.contexts import LocalContexts

            self._contexts = LocalContexts(self.service)
        return self._contexts

    async def _first(self) -> str:
        """Return the server's first model, asking for it once."""
        offers = self._known_offers()
        if not offers.first:
            await self.models()
        if not offers.first:
            remedy = f'name one: --model "{self.name}/NAME"'
            raise ProviderError("request", f"no model is named, and {self.name} lists none", remedy=remedy)
        return offers.first
