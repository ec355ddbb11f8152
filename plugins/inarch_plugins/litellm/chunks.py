"""Conversion of LiteLLM's chunks of any service's stream to deltas.

LiteLLM's `stream_chunk_builder` is not used: it drops data that a model wants back unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import (
    REASONING_INDEX,
    TEXT_INDEX,
    AnsweredBy,
    CallDelta,
    Delta,
    PartData,
    ReasoningDelta,
    ReasoningDetails,
    TextDelta,
    Usage,
    UsageDelta,
    finish_for,
    reported_usage,
)

BLOCKS = "thinking_blocks"
DETAILS = "reasoning_details"
FIELDS = "provider_specific_fields"
ITEMS = "reasoning_items"
"""Reasoning items of OpenAI's Responses wire, complete with the chunk that ends the reply."""


@define(eq=False, repr=False)
class Opaque:
    """Opaque data of one reply and of its calls."""

    _blocks: list[dict[str, Any]] = field(init=False, factory=list)
    _details: ReasoningDetails = field(init=False, factory=ReasoningDetails)
    _items: list[Mapping[str, Any]] = field(init=False, factory=list)
    _fields: dict[str, Any] = field(init=False, factory=dict)
    _calls: dict[int, dict[str, Any]] = field(init=False, factory=dict)

    def add(self, delta: Any) -> list[dict[str, Any]]:
        """Add the data of one chunk's delta; return the thinking blocks that it completes."""
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
        """Add the data of one fragment of a call."""
        for fields in (getattr(call, FIELDS, None), getattr(getattr(call, "function", None), FIELDS, None)):
            if isinstance(fields, Mapping):
                _merge(self._calls.setdefault(index, {}), fields)

    @property
    def message(self) -> dict[str, Any]:
        """Return the message's data that was not returned before, by its key."""
        members = {BLOCKS: self._blocks, DETAILS: self._details.items, FIELDS: self._fields, ITEMS: self._items}
        return {name: value for name, value in members.items() if value}

    @property
    def calls(self) -> Mapping[int, dict[str, Any]]:
        """Return the data of each call that has some."""
        return {index: {FIELDS: fields} for index, fields in self._calls.items() if fields}

    def _block(self, block: Mapping[str, Any]) -> None:
        """Add a piece of a thinking block: pieces of text, then the signature, which ends it."""
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


REASONING_CONTENT = "reasoning_content"
"""Key under which many services send thoughts as plain text, and some want them back."""


@define(eq=False, repr=False)
class Chunks:
    """Reader of the chunks of one reply."""

    model: str
    _opaque: Opaque = field(init=False, factory=Opaque)
    _positions: dict[object, int] = field(init=False, factory=dict)
    _ids: dict[int, str] = field(init=False, factory=dict)
    _reason: str = field(init=False, default="")
    _usage: Any = field(init=False, default=None)
    _is_signed: bool = field(init=False, default=False)
    _has_text: bool = field(init=False, default=False)
    _is_between: bool = field(init=False, default=False)
    _is_plain: bool = field(init=False, default=False)
    _is_named: bool = field(init=False, default=False)

    def read(self, chunk: Any) -> Iterator[Delta]:
        """Yield the deltas of one chunk."""
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self._usage = usage
        yield from self._answered(getattr(chunk, "model", None))
        choices = getattr(chunk, "choices", None)
        if not choices:
            return
        reason = choices[0].finish_reason
        if reason:
            self._reason = str(reason)
        delta = choices[0].delta
        if delta is None:
            return
        reasoning = getattr(delta, REASONING_CONTENT, None)
        self._is_plain = self._is_plain or isinstance(reasoning, str)
        if reasoning and isinstance(reasoning, str):
            yield ReasoningDelta(reasoning)
        for block in self._opaque.add(delta):
            yield PartData(REASONING_INDEX, {"model": self.model, BLOCKS: [block]})
            self._is_signed, self._is_between = True, self._has_text
        content = getattr(delta, "content", None)
        if content and isinstance(content, str):
            if self._is_between:  # the text before the thought is a part of its own
                yield PartData(TEXT_INDEX, {"model": self.model})
            self._has_text, self._is_between = True, False
            yield TextDelta(content)
        refusal = getattr(delta, "refusal", None)
        if refusal and isinstance(refusal, str):
            yield TextDelta(refusal)
        for call in getattr(delta, "tool_calls", None) or ():
            yield self._call(call)

    def end(self, reason: str | None, counted: bool) -> Iterator[Delta]:
        """Yield the deltas known only at the end of the stream; a cut stream has no `Finish`."""
        if counted and (usage := _usage_of(self._usage)) is not None:
            yield UsageDelta(usage)
        own: dict[str, Any] = self._opaque.message
        if self._is_plain and not self._is_signed and not own.keys() & {BLOCKS, DETAILS, ITEMS}:
            own[REASONING_CONTENT] = True
        if own:
            yield PartData(REASONING_INDEX, {"model": self.model, **own})
        for index, data in self._opaque.calls.items():
            yield PartData(index, {"model": self.model, **data})
        if reason := self._reason if reason is None else reason:
            yield finish_for(reason, has_calls=bool(self._ids))

    def _answered(self, model: Any) -> Iterator[AnsweredBy]:
        """Yield the model's name once if it differs: the library mostly repeats the requested one."""
        if not self._is_named and isinstance(model, str) and model:
            self._is_named = True
            if not self.model.endswith(model):
                yield AnsweredBy(model)

    def _call(self, call: Any) -> CallDelta:
        """Return a fragment as a delta of its call; a new id begins a new one, whatever its index says."""
        index, call_id = getattr(call, "index", None), getattr(call, "id", None) or ""
        function = call.function
        name, arguments = function.name or "", function.arguments
        position = self._positions.get(index)
        if position is None or (call_id and name and self._ids[position] not in ("", call_id)):
            position = self._positions[index] = len(self._ids)
            self._ids[position] = ""
        if call_id in self._ids.values() and self._ids[position] != call_id:
            call_id = ""  # a duplicate id: the kernel gives this call one of its own
        self._ids[position] = self._ids[position] or call_id
        self._opaque.add_call(position, call)
        return CallDelta(position, call_id, name, arguments if isinstance(arguments, str) else "")


def _usage_of(reported: Any) -> Usage | None:
    prompt = getattr(reported, "prompt_tokens_details", None)
    completion = getattr(reported, "completion_tokens_details", None)
    return reported_usage(
        [getattr(reported, "prompt_tokens", None)],
        [getattr(reported, "completion_tokens", None)],
        cached=getattr(prompt, "cached_tokens", None),
        thoughts=getattr(completion, "reasoning_tokens", None),
        written=getattr(prompt, "cache_creation_tokens", None),
    )
