"""Requests over the Responses wire: what a model refuses is left out, and the same is asked again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from attrs import define, field

from inarch import Delta, HttpService, ModelRequest, ProviderError, ProviderNote, join_deltas
from inarch_openai.addresses import is_openai

if TYPE_CHECKING:
    from inarch_openai.memory import Memory
    from inarch_openai.responses.refusals import Refusals
    from inarch_openai.responses.requests import Encoder

PATH = "/responses"
MOST_REFUSALS = 3
"""How often one request is changed and asked again."""


@define(eq=False, repr=False)
class Responses:
    """The wire of one service.

    Args:
        name: The provider's name.
        service: Where requests go.
        memory: Keeps what models have refused.
        extra: Further members of every request.
    """

    name: str
    service: HttpService
    memory: Memory
    extra: Mapping[str, Any] = field(factory=dict)
    _encoder: Encoder | None = field(init=False, default=None)

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply.

        Raises:
            ProviderError: It failed.
        """
        encoder = self._made_encoder()
        changes: list[str] = []
        while True:
            has_begun = False
            try:
                async with aclosing(self._asked(encoder, request)) as deltas:
                    async for delta in deltas:
                        if not has_begun:  # not before: a request that is refused has to count as refused
                            for change in changes:
                                yield ProviderNote(change, repair=True)
                        has_begun = True
                        yield delta
                return
            except ProviderError as error:
                change = "" if has_begun or len(changes) == MOST_REFUSALS else self.refusals.learn(error, request)
                if not change:
                    raise
                changes.append(change)

    @property
    def refusals(self) -> Refusals:
        """What models have refused."""
        return self._made_encoder().refusals

    async def _asked(self, encoder: Encoder, request: ModelRequest) -> AsyncGenerator[Delta]:
        from inarch_openai.responses.events import Events

        events = Events(self.service, encoder.origin(request.model))
        async with aclosing(self.service.batches(PATH, encoder.body(request))) as batches:
            async for values in batches:
                for delta in join_deltas(chain.from_iterable(map(events.read, values))):
                    yield delta

    def _made_encoder(self) -> Encoder:
        if self._encoder is None:
            from inarch_openai.responses.refusals import Refusals
            from inarch_openai.responses.requests import Encoder

            url = self.service.base_url
            host = urlsplit(url).hostname or url
            self._encoder = Encoder(self.name, host, is_openai(url), self.extra, Refusals(self.memory))
        return self._encoder
