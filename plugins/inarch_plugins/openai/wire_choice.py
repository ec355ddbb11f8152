"""`ModelProvider` that chooses chat completions or Responses by address, model and the server's answers."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from attrs import define, evolve, field

from inarch import Delta, ModelRequest, ProviderError, ProviderNote
from inarch_plugins.openai.provider import FIRST, MEMBERS, ChatCompletions

if TYPE_CHECKING:
    from inarch_plugins.openai.responses.requests import Encoder


OPENAI = "https://api.openai.com/v1"
_AZURE = (".azure.com", ".azure.us", ".azure.cn")
_ENDPOINTS = ("/responses", "/chat/completions", "/models")


def is_openai(base_url: str) -> bool:
    """Return whether an address is OpenAI itself, or Azure with OpenAI's models and its `v1` API."""
    host, path = _parts(base_url)
    own = host == "api.openai.com" or host.endswith(".api.openai.com") or ".privatelink.openai." in host
    return own or (host.endswith(_AZURE) and path.endswith("/openai/v1"))


def prefers_responses(base_url: str) -> bool:
    """Return whether a service's models need or prefer Responses (pages of OpenAI, Azure and xAI, Nov 2026)."""
    host, _ = _parts(base_url)
    return is_openai(base_url) or host == "api.x.ai" or host.endswith(".api.x.ai")


def completed(base_url: str) -> str:
    """Return an address with the usual path if it has none, and without that of an endpoint."""
    url = base_url.strip().rstrip("/")
    url = next((url.removesuffix(one) for one in _ENDPOINTS if url.endswith(one)), url)
    host, path = _parts(url)
    if not host or path:
        return url
    if host.endswith(_AZURE):
        return f"{url}/openai/v1"
    return f"{url}/api/v1" if host == "openrouter.ai" else f"{url}/v1"


def is_absent(error: ProviderError) -> bool:
    """Return whether a service lacks such an endpoint; a missing model is another matter."""
    return error.status in (404, 405, 501) and "model" not in error.message.lower()


def _parts(base_url: str) -> tuple[str, str]:
    """Return the host in lower case, and the path without a trailing slash."""
    try:
        parts = urlsplit(base_url)
        return (parts.hostname or "").lower(), parts.path.rstrip("/")
    except ValueError:
        return "", ""


Api = Literal["auto", "chat", "responses"]
_TOPIC = "api"
# OpenAI, Nov 2026: "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use
# function tools, use /v1/responses or set reasoning_effort to 'none'." and "only supported in v1/responses".
_ASKS_FOR_RESPONSES = re.compile(r"\bv1/responses\b")


@define(eq=False, repr=False)
class EitherWire(ChatCompletions):
    """`ModelProvider` over one wire or the other, which share everything except requests."""

    api: Api = "auto"
    _items: Encoder | None = field(init=False, default=None)

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the reply."""
        self.check_key(request.model)
        if request.model in ("", FIRST):
            await self.find_default()
            request = evolve(request, model=self.default_model)
        api, is_other = self._api(request.model), False
        while True:
            has_begun = False
            over = ChatCompletions.answer if api == "chat" else EitherWire._over_responses
            try:
                async with aclosing(over(self, request)) as deltas:
                    async for delta in deltas:
                        if not has_begun and is_other:
                            self.memory.keep(request.model, _TOPIC, [api])
                            yield ProviderNote(f"{request.model} is now asked over {api} from now on", repair=True)
                        has_begun = True
                        yield delta
                return
            except ProviderError as error:
                other = self._other(api, error)
                if has_begun or is_other or other is None:
                    raise
                api, is_other = other, True

    def takes_effort(self, model: str) -> bool:
        """Return whether a model accepts an effort; an unknown model gets one."""
        if self._api(model) == "chat":
            return ChatCompletions.takes_effort(self, model)
        from inarch_plugins.openai.responses.families import known_not_to_think

        return not known_not_to_think(model) and "reasoning.effort" not in self.memory.words(model, MEMBERS)

    async def _over_responses(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        from inarch_plugins.openai.responses.events import Events
        from inarch_plugins.openai.responses.requests import Encoder

        if self._items is None:
            url = self.service.base_url
            self._items = Encoder(self.name, urlsplit(url).hostname or url, is_openai(url), self.extra)
        events = Events(self.service, self._items.origin(request.model))
        async with aclosing(self._asked("/responses", request, self._items, events.read)) as deltas:
            async for delta in deltas:
                yield delta

    def _naming_the_key(self, error: ProviderError) -> ProviderError:
        """Return the error with the remedy, if more is known than its status says."""
        if error.status == 401 and self.service.authorize is not None:
            return error.with_text(remedy="run: inarch auth login openai")
        if error.status == 400 and "encrypted content" in error.message.lower():
            return error.with_text(remedy="its reasoning belongs to another key: use /compact, or begin a new session")
        if is_absent(error) and self.api == "responses":
            remedy = f"check the base_url {self.service.address}; a server without /responses is one for"
            return error.with_text(remedy=f"{remedy} the plugin openai-compatible")
        return ChatCompletions._naming_the_key(self, error)

    def _api(self, model: str) -> str:
        if self.api != "auto":
            return self.api
        known = self.memory.words(model, _TOPIC)
        return known[0] if known else "responses" if prefers_responses(self.service.base_url) else "chat"

    def _other(self, api: str, error: ProviderError) -> str | None:
        """Return the wire to try instead, None if the error is not about the wire."""
        if self.api != "auto":
            return None
        if api == "chat":
            asks = error.status in (400, 404) and _ASKS_FOR_RESPONSES.search(error.message)
            return "responses" if asks else None
        return "chat" if is_absent(error) else None
