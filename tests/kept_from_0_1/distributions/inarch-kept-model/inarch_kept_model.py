"""A model provider that says again what it was asked, word by word."""

import re
from collections.abc import AsyncIterator, Sequence

import inarch


class KeptModel:
    """Answers `kept-model/plain`."""

    name = "kept-model"
    default_model = "plain"
    default_decision_model = "plain"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Stream the reply; what a service refuses is raised as `inarch.ProviderError`."""
        asked = [message.parts[:1] for message in request.messages if message.role == "user"]  # files and such follow
        prompts = [part.text for parts in asked for part in parts if isinstance(part, inarch.Text)]
        words = re.findall(r"\S+\s*", prompts[-1] if prompts else "") or ["(nothing)"]
        for word in words:
            yield inarch.TextDelta(word)
        yield inarch.UsageDelta(inarch.Usage(input_tokens=len(words), output_tokens=len(words)))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        """Return the models on offer."""
        return [inarch.ModelInfo("plain", "Says what you said.")]

    def limits(self, model: str) -> inarch.Limits:
        """Return what is known of a model's limits."""
        return inarch.Limits(context_tokens=8000) if model == "plain" else inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        """Return a model's price; None if unknown."""
        return None

    async def close(self) -> None:
        """Let go of connections: there are none."""


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> list[inarch.ModelProvider]:
    """Register the provider."""
    return [KeptModel()]
