"""Reasoning that only the model itself can read (`reasoning_details`): collected whole, to go back unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

_GROWING = ("text", "summary")
"""Members that come in pieces; anything else comes whole."""


@define(eq=False, repr=False)
class Details:
    """The details of one reply, their fragments joined."""

    items: list[dict[str, Any]] = field(init=False, factory=list)

    def add(self, fragments: Any) -> None:
        """Take the details of one chunk."""
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, Mapping):
                continue
            last = self.items[-1] if self.items else None
            if last is not None and _goes_on(last, fragment):
                _join(last, fragment)
            else:
                self.items.append(dict(fragment))


def _goes_on(last: Mapping[str, Any], fragment: Mapping[str, Any]) -> bool:
    """Whether a fragment belongs to the detail before it."""
    if fragment.get("index") is None or "data" in fragment or "data" in last:
        return False
    same = all(last.get(key) == fragment.get(key) for key in ("type", "index"))
    return same and (last.get("id") is None or fragment.get("id") in (None, last["id"]))


def _join(last: dict[str, Any], fragment: Mapping[str, Any]) -> None:
    for key, value in fragment.items():
        before = last.get(key)
        if key in _GROWING and isinstance(value, str) and isinstance(before, str):
            last[key] = before + value
        elif value is not None or key not in last:
            last[key] = value
