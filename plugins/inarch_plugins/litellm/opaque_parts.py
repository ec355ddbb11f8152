"""What only the model itself can read and wants back unchanged: joined from its fragments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch import ReasoningDetails

BLOCKS = "thinking_blocks"
DETAILS = "reasoning_details"
FIELDS = "provider_specific_fields"
ITEMS = "reasoning_items"
"""Reasoning items of OpenAI's Responses wire, whole with the chunk that ends the reply."""


@define(eq=False, repr=False)
class Opaque:
    """The opaque data of one reply and of its calls."""

    _blocks: list[dict[str, Any]] = field(init=False, factory=list)
    _details: ReasoningDetails = field(init=False, factory=ReasoningDetails)
    _items: list[Mapping[str, Any]] = field(init=False, factory=list)
    _fields: dict[str, Any] = field(init=False, factory=dict)
    _calls: dict[int, dict[str, Any]] = field(init=False, factory=dict)

    def add(self, delta: Any) -> list[dict[str, Any]]:
        """Take what one chunk's delta carries; return the thinking blocks that are whole with it."""
        for block in _rows(getattr(delta, BLOCKS, None)):
            self._block(block)
        whole = [block for block in self._blocks if block.get("signature") or block.get("type") != "thinking"]
        self._blocks = [block for block in self._blocks if block not in whole]
        self._details.add(getattr(delta, DETAILS, None))
        self._items = _rows(getattr(delta, ITEMS, None)) or self._items
        fields = getattr(delta, FIELDS, None)
        if isinstance(fields, Mapping):
            _merge(self._fields, {name: value for name, value in fields.items() if name not in (BLOCKS, DETAILS)})
        return whole

    def add_call(self, index: int, call: Any) -> None:
        """Take what one fragment of a call carries."""
        for fields in (getattr(call, FIELDS, None), getattr(getattr(call, "function", None), FIELDS, None)):
            if isinstance(fields, Mapping):
                _merge(self._calls.setdefault(index, {}), fields)

    @property
    def message(self) -> dict[str, Any]:
        """What belongs to the message and was not returned before, by the name of its member."""
        members = {BLOCKS: self._blocks, DETAILS: self._details.items, FIELDS: self._fields, ITEMS: self._items}
        return {name: value for name, value in members.items() if value}

    @property
    def calls(self) -> Mapping[int, dict[str, Any]]:
        """What belongs to each call that has something."""
        return {index: {FIELDS: fields} for index, fields in self._calls.items() if fields}

    def _block(self, block: Mapping[str, Any]) -> None:
        """Take a piece of a thinking block: pieces of text, then the signature, which ends it."""
        last = self._blocks[-1] if self._blocks else None
        if block.get("type") != "thinking" or last is None or last.get("type") != "thinking" or last.get("signature"):
            self._blocks.append({key: value for key, value in block.items() if key != "index" and value is not None})
            return
        last["thinking"] = (last.get("thinking") or "") + (block.get("thinking") or "")
        last |= {key: value for key, value in block.items() if key not in ("thinking", "index") and value is not None}


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _merge(into: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        before = into.get(name)
        if isinstance(before, list) and isinstance(value, list):
            into[name] = before + value
        elif value is not None:
            into[name] = value
