"""Records of a streamed reply: its pieces, how it ended and what it used."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from inarch.contract.frozen import frozen

FinishReason = Literal["stop", "calls", "length", "filtered", "declined", "malformed", "cut", "error"]
"""Reason for the end of a reply.

A reply that is `filtered`, `malformed` (unreadable calls), `cut` (reason unknown) or an `error` is not an answer. The
text of a `declined` one says that the task was not done or not understood."""
Effort = Literal["minimal", "low", "medium", "high", "max"]
"""Effort of a model's thinking, the least first."""


@frozen
class Usage:
    """Tokens and cost of one request or turn. `cost_usd` None is unknown, never zero.

    Of the input tokens, `cached_tokens` came from the service's cache and `written_tokens` went into it at a price of
    its own. `estimated` says that some tokens are an estimate, because the service reported none for a request.
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
    """Signal that all text so far was reasoning, as `</think>` without an opening tag means."""


@frozen
class CallDelta:
    """Fragment of the call at `index`. `id` and `name` come once, `arguments` in pieces of JSON text."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


TEXT_INDEX = -1
REASONING_INDEX = -2


@frozen
class PartData:
    """Opaque provider data of a part. `index` is a call's index, `TEXT_INDEX` or `REASONING_INDEX`.

    For text or reasoning it ends the part that is open: what follows of its kind is a part of its own, in its place
    among the others. Where none is open, it is one without words.
    """

    index: int
    data: Mapping[str, Any]


@frozen
class UsageDelta:
    """Usage reported so far. The last one counts."""

    usage: Usage


@frozen
class Finish:
    """End of a reply. A stream without one was cut. `said` is the service's own word for an end that is not one."""

    reason: FinishReason
    said: str = ""


@frozen
class AnsweredBy:
    """Model that answers, by the service's own name. `company` is who runs it, if the service reports that."""

    model: str
    company: str = ""


@frozen
class ProviderNote:
    """Provider's remark on a reply, such as a repair.

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
"""A piece of a streamed reply."""
