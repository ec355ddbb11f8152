"""A list of what is to be done that a plugin recorded: an event of it has `todos`, each with `content` and `status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST = 12
"""Rows that are shown of one list."""
_MARKS = {"completed": ("ok", "green"), "in_progress": ("live", "yellow")}


def todo_rows(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield mark, style and words of each row; nothing where the event has no such list."""
    found = data.get("todos")
    listed = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []
    for one in listed[:MOST]:
        mark, style = _MARKS.get(str(one.get("status")), ("waits", "dim"))
        yield mark, style, str(one.get("content", ""))
    if len(listed) > MOST:
        yield "cut", "dim", f"{len(listed) - MOST} more"
