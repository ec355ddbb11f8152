"""What a recorded change of a file means for each of its paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from inarch import Standing
from inarch.host import NOTHING


class Transition(NamedTuple):
    """What a change means for one path."""

    path: str
    before: Standing
    after: Standing


def transitions_of(data: Mapping[str, Any]) -> tuple[Transition, ...]:
    """Return what one change means for each of its paths: two for a move, else one."""
    before = Standing(data.get("before"), int(data.get("before_mode") or 0))
    after = Standing(data.get("after"), int(data.get("after_mode") or 0))
    if (new_path := data.get("new_path")) is None:
        return (Transition(data["path"], before, after),)
    return Transition(data["path"], before, NOTHING), Transition(new_path, NOTHING, after)
