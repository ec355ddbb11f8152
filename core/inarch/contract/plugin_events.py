"""Events that plugins record: of a declared kind, named `PLUGIN.NAME`, in the journal like the kernel's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory

from inarch.contract.frozen import frozen


@frozen
class EventKind:
    """A kind of event that a plugin records; it stands in the journal as `PLUGIN.NAME`.

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
