"""Messages of chat completions, the format of most services and gateways, for all wires that use it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import define, field

from inarch.contract.codec import to_data
from inarch.contract.errors import ProviderError
from inarch.contract.records import CallPart, Image, ModelRequest, Part, ResultPart, Text, ToolSpec
from inarch_sdk.bounds import size_of

CACHED = {"type": "ephemeral"}
LEAST_CACHED = 4_096
"""Minimum characters of a request to cache: services cache nothing below about 1,000 tokens."""
MOST_DETAILS = 1 << 23
"""Maximum bytes of reasoning details in one reply."""
_GROWING = ("text", "summary")
"""Members of a detail that arrive in pieces; all others arrive whole."""


def chat_content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    """Return the `content` of a user's message: a text, or a list with pictures and their bytes.

    Of a tool's message it returns the pictures of its results, "" for none: they follow in a message of the user, as a
    tool's own `content` has text alone (OpenAI's reference of chat completions, Nov 2026).
    """
    said = (_pictured(part) if isinstance(part, ResultPart) else (part,) for part in parts)
    parts = tuple(chain.from_iterable(said))
    if not any(isinstance(part, Image) for part in parts):
        return "\n\n".join(part.text for part in parts if isinstance(part, Text))
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            url = f"data:{part.media_type};base64,{b64encode(part.data).decode('ascii')}"
            content.append({"type": "image_url", "image_url": {"url": url}})
    return content


def _pictured(part: ResultPart) -> tuple[Part, ...]:
    images = part.result.images
    return (Text(f"Shown by {part.name}:"), *images) if images else ()


def chat_pays_to_cache(request: ModelRequest) -> bool:
    """Return whether requested caching pays: writing costs more, so a following request must be likely."""
    size = len(request.system) + sum(len(spec.description) + len(str(spec.input_schema)) for spec in request.tools)
    size += sum(len(part.text) for message in request.messages for part in message.parts if isinstance(part, Text))
    return request.purpose == "turn" and request.tool_choice == "auto" and size >= LEAST_CACHED


def chat_cached(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with the mark that ends the cached part of a prompt."""
    content = item.get("content")
    if item.get("role") == "tool":
        return {**item, "cache_control": dict(CACHED)}
    if isinstance(content, str) and content:
        return {**item, "content": [{"type": "text", "text": content, "cache_control": dict(CACHED)}]}
    if isinstance(content, list) and content:
        return {**item, "content": [*content[:-1], {**content[-1], "cache_control": dict(CACHED)}]}
    return dict(item)


def chat_call(part: CallPart) -> dict[str, Any]:
    """Return a call as a member of an assistant message's `tool_calls`."""
    arguments = json.dumps(to_data(part.arguments), ensure_ascii=False)
    function = {"name": part.name, "arguments": arguments}
    return {"id": part.provider_id or part.id, "type": "function", "function": function}


def chat_tool(spec: ToolSpec) -> dict[str, Any]:
    """Return a tool as a member of a request's `tools`."""
    function = {"name": spec.name, "description": spec.description, "parameters": to_data(spec.input_schema)}
    return {"type": "function", "function": function}


@define(eq=False, repr=False)
class ReasoningDetails:
    """Reasoning that only the model can read (`reasoning_details`): collected whole and sent back unchanged."""

    items: list[dict[str, Any]] = field(init=False, factory=list)
    _size: int = field(init=False, default=0)

    def add(self, fragments: Any) -> None:
        """Add the details of one chunk; ignore invalid ones.

        Raises:
            ProviderError: There are too many. They are limited here because they are not shown.
        """
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, Mapping):
                continue
            self._size += size_of(fragment, MOST_DETAILS)
            if self._size > MOST_DETAILS:
                raise ProviderError(
                    "too_long", f"more than {MOST_DETAILS} bytes of reasoning details came in one reply"
                )
            last = self.items[-1] if self.items else None
            if last is not None and _goes_on(last, fragment):
                _join(last, fragment)
            else:
                self.items.append(dict(fragment))


def _goes_on(last: Mapping[str, Any], fragment: Mapping[str, Any]) -> bool:
    """Return whether a fragment continues the detail before it."""
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
