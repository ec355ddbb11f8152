"""Context size of servers on this machine, because some silently cut a longer request in its middle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from inarch import HttpService, ProviderError

PATIENCE_S = 1.0
TRIES = 2
"""Number of tries. Some servers know it only once a model is loaded, which the first request does."""
BYTES_A_TOKEN = 4
"""Bytes of a body for one token, roughly; the space left for the reply compensates."""
LARGEST_RESERVE, RESERVE_SHARE = 4_096, 4
SMALLEST = 4_096
"""Context that every server has: a shorter request does not need to ask for it."""


@define(eq=False, repr=False)
class LocalContexts:
    """Contexts reported by servers on this machine, in tokens by model. A server elsewhere is not asked."""

    service: HttpService
    _known: dict[str, tuple[int, str]] = field(init=False, factory=dict)
    _tries: dict[str, int] = field(init=False, factory=dict)

    async def check(self, model: str, body: bytes) -> None:
        """Refuse a body that the server would cut, as a service that counts does.

        Raises:
            ProviderError: It is too long; nothing was sent.
        """
        tokens = len(body) // BYTES_A_TOKEN
        if tokens <= _room(SMALLEST):
            return
        if model not in self._known and self._tries.get(model, 0) < TRIES:
            self._tries[model] = self._tries.get(model, 0) + 1
            await self._ask(model)
        context, setting = self._known.get(model, (0, ""))
        if context and tokens > _room(context):
            message = f"{self.service.name} has a context of {context} tokens here, and the request about {tokens}"
            raise ProviderError(
                "context_length", f"{message}: give it more with {setting}", remedy="or ask about less", was_sent=False
            )

    async def _ask(self, model: str) -> None:
        """Ask in the ways of llama.cpp, Ollama and LM Studio; without an answer it stays unknown."""
        above = "/.." if self.service.base_url.rstrip("/").endswith("/v1") else ""
        for path, read, setting in _WAYS:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    found = read(await self.service.get(above + path), model)
            except TimeoutError:
                return
            except ProviderError as error:
                if error.status is None:
                    return  # no server is there: the request itself reports that
                continue
            if isinstance(found, int) and found > 0:
                self._known[model] = (found, setting)
                return


def _room(context: int) -> int:
    return context - min(LARGEST_RESERVE, context // RESERVE_SHARE)


def _of_llama_cpp(data: Any, model: str) -> Any:
    return _member(_member(data, "default_generation_settings"), "n_ctx")


def _of_ollama(data: Any, model: str) -> Any:
    """Return the context of a loaded model; its name may lack the tag `latest`."""
    names = (model, f"{model}:latest")
    rows = _member(data, "models")
    return next((row.get("context_length") for row in _rows(rows) if row.get("model", row.get("name")) in names), None)


def _of_lm_studio(data: Any, model: str) -> Any:
    rows = _member(data, "data")
    return next((row.get("loaded_context_length") for row in _rows(rows) if row.get("id") == model), None)


def _member(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, Mapping) else None


def _rows(rows: Any) -> list[Mapping[str, Any]]:
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


_WAYS: tuple[tuple[str, Callable[[Any, str], Any], str], ...] = (
    ("/props", _of_llama_cpp, "-c"),
    ("/api/ps", _of_ollama, "OLLAMA_CONTEXT_LENGTH"),
    ("/api/v0/models", _of_lm_studio, "the context length of the loaded model"),
)
