"""The kernel's own decision strategy."""

from __future__ import annotations

from inarch.contract.ports import Situation
from inarch.contract.records import Decision


class Native:
    """Asks the model at once and lets it call tools: what every model with native tool calls does well."""

    name = "native"

    async def decide(self, situation: Situation) -> Decision:
        """Decide to ask the model."""
        return Decision("ask_model", reason="the model decides", strategy=self.name)
