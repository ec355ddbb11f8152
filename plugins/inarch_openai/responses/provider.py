"""A `ModelProvider` over the Responses wire: the models of OpenAI, or of another service that speaks it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import Delta, HttpService, Limits, ModelInfo, ModelRequest, Price, ProviderError
from inarch_openai.addresses import is_absent
from inarch_openai.responses.wire import Responses

if TYPE_CHECKING:
    from inarch_openai.offers import Offers


@define(eq=False, repr=False)
class ResponsesProvider:
    """A `ModelProvider` over the Responses wire.

    Args:
        name: The provider's name.
        wire: Where and how requests go.
        default_model: Used where none is named.
        default_decision_model: A cheap model for decisions.
        key_variable: Where the key is from.
        missing: What to say instead of asking, if the key can't be used.
        cache_dir: Where the list of models is kept.
        requests_per_minute: What the user says that the service takes of one model.
        tokens_per_minute: The same in tokens.
    """

    name: str
    wire: Responses
    default_model: str
    default_decision_model: str
    key_variable: str
    missing: ProviderError | None = None
    cache_dir: str = ""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    _offers: Offers | None = field(init=False, default=None)

    @property
    def service(self) -> HttpService:
        """Where requests go."""
        return self.wire.service

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply.

        Raises:
            ProviderError: It failed.
        """
        self._check()
        try:
            async with aclosing(self.wire.answer(request)) as deltas:
                async for delta in deltas:
                    yield delta
        except ProviderError as error:
            raise self._with_remedy(error) from None

    async def models(self) -> Sequence[ModelInfo]:
        """Ask the service for its models.

        Raises:
            ProviderError: It failed.
        """
        self._check()
        offers = self._known_offers()
        try:
            offers.take(await self.service.get("/models"), self.service)
        except ProviderError as error:
            raise self._with_remedy(error) from None
        return [ModelInfo(one.name, one.description, one.context_tokens, one.retires) for one in offers.models.values()]

    def check_key(self, model: str) -> None:
        """Refuse every model if the key is missing or can't be one of the service.

        Raises:
            ProviderError: It is.
        """
        self._check()

    def limits(self, model: str) -> Limits:
        """Return what the service or the user has told of a model's limits."""
        offer = self._known_offers().models.get(model)
        known = (offer.context_tokens, offer.output_tokens) if offer else (None, None)
        return Limits(*known, self.requests_per_minute, self.tokens_per_minute)

    def price(self, model: str) -> Price | None:
        """Return None: the service tells no prices."""
        return None

    def takes_effort(self, model: str) -> bool:
        """Whether a model can be told how much to think; one that is not known is told."""
        from inarch_openai.responses.families import known_not_to_think

        return not known_not_to_think(model) and "effort" not in self.wire.refusals.left_out(model)

    async def close(self) -> None:
        """Close the connections."""
        await self.service.close()

    def _check(self) -> None:
        if self.missing is not None:
            raise self.missing.with_text()  # each time a new one: an error collects the traces of where it was raised

    def _with_remedy(self, error: ProviderError) -> ProviderError:
        """Return the error with the one thing to do, if more is known than its status says."""
        if error.status == 401 and self.service.authorize is not None:
            return error.with_text(remedy="run: inarch auth login openai")
        if error.status == 401:
            return error.with_text(remedy=f"check the key in {self.key_variable}")
        if error.status == 400 and "encrypted content" in error.message.lower():
            return error.with_text(remedy="its reasoning belongs to another key: use /compact, or begin a new session")
        if is_absent(error):
            remedy = f"check the base_url {self.service.address}; a server without /responses is one for"
            return error.with_text(remedy=f"{remedy} the plugin openai-compatible")
        return error

    def _known_offers(self) -> Offers:
        if self._offers is None:
            from inarch_openai.offers import Offers

            self._offers = Offers.kept_in(self.cache_dir)
        return self._offers
