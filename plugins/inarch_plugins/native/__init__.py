"""native: the model is asked at once and calls tools itself."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


class Native:
    """Strategy that asks the model at once and lets it call tools, for models with native tool calls."""

    name = "native"

    async def decide(self, situation: inarch.Situation) -> inarch.Decision:
        """Decide to ask the model."""
        return inarch.Decision("ask_model", reason="the model decides", strategy=self.name)


@inarch.hookimpl
def inarch_strategies(context: inarch.PluginContext) -> Iterable[inarch.DecisionStrategy]:
    """Return the strategy."""
    return [Native()]
