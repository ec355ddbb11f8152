"""What events are made of: a kept picture, what a provider's error said, what requests came to, a child's place."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class KeptImage:
    """A picture that is kept beside the events: `ref` is what the store calls its bytes."""

    media_type: str
    ref: str


@frozen
class Failure:
    """What a provider's error said, as in `ProviderError`."""

    message: str
    remedy: str = ""
    status: int | None = None
    retry_after: float | None = None
    retryable: bool = False
    was_sent: bool = True
    told: str = ""


@frozen
class Spent:
    """What requests came to, every attempt and decision counted.

    `cost_usd` is the part that is known; `unknown` counts the requests whose cost is not, `estimated` those whose
    tokens are an estimate. `seconds` passed from request to reply.
    """

    purpose: str
    plugin: str
    model: str
    requests: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    unknown: int = 0
    seconds: float = 0.0
    estimated: int = 0


@frozen
class PluginEvent:
    """What a plugin records: `kind` begins with its name, `data` is plain JSON and was checked against its schema."""

    kind: str
    data: Mapping[str, Any]


@frozen
class Branch:
    """Where a child session comes from, and what it may have: it holds whenever the session is gone on with.

    Args:
        parent: The session whose call began it.
        turn_id: The turn of that call; empty for none.
        call_id: The call.
        name: What people know it by.
        depth: How many sessions are above it.
        instructions: What its model is told beside the project's own instructions.
        tools: The tools that it may call; None is all.
    """

    parent: str
    turn_id: str
    call_id: str
    name: str
    depth: int = 1
    instructions: str = ""
    tools: tuple[str, ...] | None = None


@frozen
class EventKind:
    """Kind of event that a plugin records as `PLUGIN.NAME`.

    Args:
        name: Small letters, digits and `_`.
        help: What it tells, in a line.
        schema: JSON Schema of its data. A `text` in the data is the line that people are shown, a
            `notice` is a remark that front ends show at once.
    """

    name: str
    help: str
    schema: Mapping[str, Any] = Factory(lambda: {"type": "object"})


RESERVED = frozenset({
    "approval", "call", "calls", "changes", "child", "command", "context", "decision", "error", "file", "input",
    "limit", "model", "note", "session", "turn",
})  # fmt: skip
"""The first words of the kernel's kinds: no plugin of such a name has events. A start knows them without the kinds."""


def is_plugins(kind: str) -> bool:
    """Whether an event of this kind is a plugin's, be that plugin there or not."""
    first, dot, _ = kind.partition(".")
    return bool(dot) and first not in RESERVED
