"""What became of the effects that a turn asked for."""

from __future__ import annotations

from collections.abc import Iterable

from inarch.contract.errors import ErrorCode
from inarch.contract.records import ToolCall

NOT_DONE: frozenset[ErrorCode] = frozenset({"denied", "permission", "validation", "not_found", "conflict", "execution"})
"""Errors after which a call has changed nothing; one that was stopped while it ran may have done a part."""


def came_to_nothing(calls: Iterable[ToolCall]) -> bool:
    """Return whether calls that were to change something were made, and none of them did."""
    errors = [call.result.error if call.result is not None else None for call in calls]
    return bool(errors) and all(error is not None and error.code in NOT_DONE for error in errors)
