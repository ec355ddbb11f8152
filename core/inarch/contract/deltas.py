"""Records of a streamed reply: its pieces, its end and its usage."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from inarch.contract.frozen import frozen

FinishReason = Literal["stop", "calls", "length", "filtered", "declined", "malformed", "cut", "error"]
"""Why a reply ended.

A reply that is `filtered`, `malformed` (its calls are unreadable), `cut` (for an unknown reason) or an `error` is not
an answer. `declined`: its text says that it did not do or did not understand the request.
"""
Effort = Literal["minimal", "low", "medium", "high", "max"]
"""Reasoning effort of a model, the least first."""


@frozen
class Usage:
    """Tokens and money of one request or one turn; `cost_usd` None is unknown, never zero.

    Of the input tokens, `cached_tokens` came from the service's cache and `written_tokens` were stored in it at a
    separate price. `estimated` says that some tokens are an estimate, because the service reported none for a request.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: Decimal | None = None
    estimated: bool = False
    written_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Add two usages; an unknown cost makes the sum unknown."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cost_usd + other.cost_usd if known else None,  # type: ignore[operator]
            self.estimated or other.estimated,
            self.written_tokens + other.written_tokens,
        )


@frozen
class TextDelta:
    """More text."""

    text: str


@frozen
class ReasoningDelta:
    """More reasoning."""

    text: str


@frozen
class TextWasReasoning:
    """Marker that all text so far was reasoning, as `</think>` without an opening tag shows."""


@frozen
class CallDelta:
    """Fragment of the call at `index`: `id` and `name` come once, `arguments` in pieces of JSON text."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


TEXT_INDEX = -1
REASONING_INDEX = -2


@frozen
class PartData:
    """Opaque provider data of a part: `index` is a call's index, `TEXT_INDEX` or `REASONING_INDEX`.

    For text or reasoning it ends the open part: later deltas of the same kind start a new part, in order. If no part is
    open, it becomes a part without text.
    """

    index: int
    data: Mapping[str, Any]


@frozen
class UsageDelta:
    """Usage reported so far; the last one counts."""

    usage: Usage


@frozen
class Finish:
    """End of a reply; a stream without one was cut. `said` is the service's own word for an abnormal end."""

    reason: FinishReason
    said: str = ""


@frozen
class AnsweredBy:
    """Model that answers, by the service's name for it; `company` runs it, if the service names one."""

    model: str
    company: str = ""


@frozen
class ProviderNote:
    """Remark of the provider on this reply: a repair, or what the service did with the request.

    A `repair` is counted and not shown.
    """

    text: str
    repair: bool = False


Delta = (
    TextDelta
    | ReasoningDelta
    | TextWasReasoning
    | CallDelta
    | PartData
    | UsageDelta
    | Finish
    | AnsweredBy
    | ProviderNote
)
"""Piece of a streamed reply."""
