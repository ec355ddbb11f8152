"""The provider: it reads the request, plans or answers, and streams the result."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal

from inarch import (
    CallDelta,
    Delta,
    Finish,
    FinishReason,
    Limits,
    ModelInfo,
    ModelRequest,
    PlannedCall,
    Price,
    ProviderError,
    TextDelta,
    Usage,
    UsageDelta,
)

# The first request imports the planner's own modules: a session with a real model never needs them.

MODEL = "extractive"
_NO_DECISION = json.dumps({
    "requires_tool_call": False, "tool_name": None, "arguments": {},
    "reasoning": "the offline planner plans its calls in the turn itself",
})  # fmt: skip
"""The answer to a request for a decision."""


class Offline:
    """A model provider that needs neither key nor network. It has no state between requests.

    Args:
        environ: The relevant environment variables: the notice names a model whose key is among them.
        long: Whether answers are always in full.
        added: Folders beside the root, by their absolute paths.
    """

    name = "offline"
    default_model = MODEL
    default_decision_model = MODEL

    def __init__(self, environ: Mapping[str, str] | None = None, long: bool = False, added: Sequence[str] = ()) -> None:
        self._environ = environ or {}
        self._long = long
        self._added = tuple(added)

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Stream tool calls while facts are missing, then the answer.

        Raises:
            ProviderError: The request names another model than the only one.
        """
        if request.model not in ("", MODEL):
            what = f"offline has no model {request.model!r}: its only model is {MODEL}"
            raise ProviderError("request", what, remedy=f"use offline/{MODEL}, or another provider", was_sent=False)
        from inarch_brief.offline.page import ENVIRON
        from inarch_brief.offline.plans import next_step

        calls: Sequence[PlannedCall] = ()
        text = ""
        finish: FinishReason = "stop"
        if request.response_schema is not None:
            text = _NO_DECISION
        elif request.purpose in ("summary", "check"):
            text = _condensed(request)
        else:
            ENVIRON.set(self._environ)
            step = next_step(request, self._long, self._added)
            if isinstance(step, list):
                calls, finish = step, "calls"
            else:
                text, finish = step.text(), "declined" if step.declined else "stop"
        if text:
            yield TextDelta(text)
        for index, call in enumerate(calls):
            yield CallDelta(index, f"offline-{len(request.messages)}-{index}", call.name, json.dumps(call.arguments))
        yield UsageDelta(Usage(cost_usd=Decimal(0)))
        yield Finish(finish)

    async def models(self) -> Sequence[ModelInfo]:
        """Return the one model."""
        return [ModelInfo(MODEL, "plans by rules, answers by extraction; no language model")]

    def limits(self, model: str) -> Limits:
        """Return no limits: nothing is measured in tokens."""
        return Limits()

    def price(self, model: str) -> Price | None:
        """Return a price of nothing."""
        return Price(Decimal(0), Decimal(0))

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _condensed(request: ModelRequest) -> str:
    """Answer a request for a summary of a conversation with the first line of each message."""
    lines = [
        f"{message.role}: {message.text.strip().splitlines()[0][:200]}"
        for message in request.messages
        if message.role in ("user", "assistant") and message.text.strip()
    ]
    return "\n".join(lines[-40:]) or "Nothing was said."
