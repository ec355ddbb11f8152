"""Parts of events: a stored picture, a provider's error, the usage of requests, a child's origin."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class KeptImage:
    """Picture stored beside the events: `ref` is the store's reference of its bytes."""

    media_type: str
    ref: str


@frozen
class Failure:
    """Content of a provider's error, as in `ProviderError`."""

    message: str
    remedy: str = ""
    status: int | None = None
    retry_after: float | None = None
    retryable: bool = False
    was_sent: bool = True
    told: str = ""


@frozen
class Spent:
    """Usage of requests, with every attempt and decision.

    `cost_usd` is the known part. `unknown` counts the requests without a known cost, `estimated` those whose tokens are
    an estimate. `seconds` is the time from request to reply.
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
    """Event recorded by a plugin: `kind` begins with its name, `data` is plain JSON that matches its schema."""

    kind: str
    data: Mapping[str, Any]


@frozen
class Branch:
    """Origin of a child session and its limits, which also hold when the session is resumed.

    Args:
        parent: The session whose call began it.
        turn_id: The turn of that call; empty for none.
        call_id: The call.
        name: Its name for the user.
        depth: How many sessions are above it.
        instructions: Instructions for its model, in addition to the project's.
        tools: The tools that it may call; None means all.
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
    """Kind of event that a plugin records, named `PLUGIN.NAME` in the journal.

    Args:
        name: Small letters, digits and `_`.
        help: Its meaning, in one line.
        schema: JSON Schema of its data. A `text` in the data is the line that the user sees, a
            `notice` is a remark that front ends show at once.
    """

    name: str
    help: str
    schema: Mapping[str, Any] = Factory(lambda: {"type": "object"})


RESERVED = frozenset({
    "approval", "call", "calls", "changes", "child", "command", "context", "decision", "error", "file", "input",
    "limit", "model", "note", "session", "turn",
})  # fmt: skip
"""First components of the kernel's kinds; plugins with these names cannot record events.

A start knows them without importing the kinds.
"""


def is_plugins(kind: str) -> bool:
    """Return whether an event of this kind is a plugin's, whether or not that plugin is present."""
    first, dot, _ = kind.partition(".")
    return bool(dot) and first not in RESERVED
