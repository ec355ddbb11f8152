"""Conversion of a `ModelRequest` to the arguments of LiteLLM's `acompletion`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch import (
    CallPart,
    Effort,
    Message,
    MessageCache,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolSpec,
    chat_cached,
    chat_call,
    chat_content,
    chat_pays_to_cache,
    chat_tool,
    result_text,
    to_data,
)

SCHEMA_NAME = "reply"
BLOCKS = "thinking_blocks"
REASONING_CONTENT = "reasoning_content"
MESSAGE_MEMBERS = ("reasoning_details", "provider_specific_fields", "reasoning_items")
"""Fields of a message that only the model itself can read."""
CALL_MEMBERS = ("provider_specific_fields",)
"""The same fields of a call."""
MARKED = frozenset({"anthropic", "bedrock", "openrouter", "vertex_ai"})
"""Services whose Anthropic models cache input marked in requests."""
WANT_THOUGHTS = frozenset({"deepseek", "moonshot"})
"""Services that refuse a conversation with tools if an assistant message lacks `reasoning_content`.

They accept a blank if none was stored. LiteLLM 1.110 sends one, too, but only if it knows that the model thinks.
"""
DISPENSABLE = ("temperature", "stream_options", "tool_choice", "reasoning_effort")
"""Optional arguments of a request, for services that do not know them."""


@define(eq=False, repr=False)
class Encoder:
    """Encoder of requests, which encodes each message only once."""

    provider: str
    extra: Mapping[str, Any] = field(factory=dict)
    marks: bool = False
    _kept: MessageCache = field(init=False, factory=MessageCache)
    _tools: tuple[tuple[ToolSpec, ...], list[dict[str, Any]]] = field(init=False, factory=lambda: ((), []))

    def arguments(
        self, request: ModelRequest, without: frozenset[str] = frozenset(), efforts: Collection[str] = ()
    ) -> dict[str, Any]:
        """Return the arguments of a streamed request."""
        given: dict[str, Any] = {
            "model": request.model,
            "messages": self._messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            given["tools"] = self._encoded_tools(request.tools)
            if request.tool_choice != "auto":
                given["tool_choice"] = request.tool_choice
        if request.temperature is not None:
            given["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            given["max_tokens"] = request.max_output_tokens
        if request.effort is not None:
            given["reasoning_effort"] = _nearest(request.effort, efforts)
        if request.response_schema is not None:
            schema = {"name": SCHEMA_NAME, "schema": to_data(request.response_schema), "strict": False}
            given["response_format"] = {"type": "json_schema", "json_schema": schema}
        if "tool_choice" in without and request.tool_choice == "none":
            given.pop("tools", None)  # a service without a way to forbid calls gets no tools
        extra: dict[str, Any] = to_data(self.extra)
        return {name: value for name, value in given.items() if name not in without} | extra

    def _messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"role": "system", "content": _whole(request.system)}] if request.system else []

        def encode(message: Message) -> list[dict[str, Any]]:
            encoded: list[dict[str, Any]] = _whole(list(self._items(message, request.model)))
            return encoded

        for message in request.messages:
            known = self._kept.once(message, encode, request.model)
            found.extend(dict(item) for item in known)  # the library may change its arguments
        self._kept.asked(request)
        if self.marks and _wants_marks(request.model) and chat_pays_to_cache(request):
            found[0] = chat_cached(found[0])
            if found[-1]["role"] != "assistant":
                found[-1] = chat_cached(found[-1])
        return found

    def _encoded_tools(self, tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
        if self._tools[0] is not tools:
            self._tools = (tools, [chat_tool(spec) for spec in tools])
        return [{**one, "function": dict(one["function"])} for one in self._tools[1]]

    def _items(self, message: Message, model: str) -> Iterator[dict[str, Any]]:
        if message.role == "tool":
            for part in message.parts:
                if isinstance(part, ResultPart):
                    text = result_text(part.result)
                    yield {"role": "tool", "tool_call_id": part.provider_id or part.call_id, "name": part.name,
                           "content": text}  # fmt: skip
            if shown := chat_content(message.parts):
                yield {"role": "user", "content": shown}
        elif message.role == "assistant":
            yield self._assistant(message.parts, model)
        else:
            yield {"role": message.role, "content": chat_content(message.parts)}

    def _assistant(self, parts: Sequence[Part], model: str) -> dict[str, Any]:
        calls = [self._call(part, model) for part in parts if isinstance(part, CallPart)]
        text = "".join(part.text for part in parts if isinstance(part, Text))
        item: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
        if calls:
            item["tool_calls"] = calls
        for part in parts:
            if isinstance(part, Reasoning):
                item |= self._own(part, model, MESSAGE_MEMBERS)
        return item | self._blocks(parts, model) | self._thoughts(parts, model)

    def _blocks(self, parts: Sequence[Part], model: str) -> dict[str, Any]:
        """Return signed thoughts: as a list, and with the texts as content if one follows a text."""
        content: list[dict[str, Any]] = []
        for part in parts:
            if isinstance(part, Text) and part.text:
                content.append({"type": "text", "text": part.text})
            elif isinstance(part, Reasoning):
                content += self._own(part, model, (BLOCKS,)).get(BLOCKS, ())
        blocks = [block for block in content if block["type"] != "text"]
        if not blocks:
            return {}
        return {BLOCKS: blocks} if content[: len(blocks)] == blocks else {BLOCKS: blocks, "content": content}

    def _thoughts(self, parts: Sequence[Part], model: str) -> dict[str, str]:
        """Return the plain thoughts for the service that sent them, even an empty text."""
        service, thoughts = model.partition("/")[0], [part for part in parts if isinstance(part, Reasoning)]
        for part in thoughts:
            own = (part.provider_data or {}).get(self.provider)
            if not isinstance(own, Mapping) or not own.get(REASONING_CONTENT):
                continue
            if str(own.get("model")).partition("/")[0] == service:
                return {REASONING_CONTENT: "".join(one.text for one in thoughts)}
        return {REASONING_CONTENT: " "} if service in WANT_THOUGHTS else {}

    def _call(self, part: CallPart, model: str) -> dict[str, Any]:
        return {**chat_call(part), **self._own(part, model, CALL_MEMBERS)}

    def _own(self, part: Part, model: str, members: Sequence[str]) -> dict[str, Any]:
        """Return a part's opaque data, if it is from this very model: signed data is unreadable to others."""
        own = (part.provider_data or {}).get(self.provider)
        if not isinstance(own, Mapping) or own.get("model") != model:
            return {}
        return {name: to_data(own[name]) for name in members if own.get(name)}


def _wants_marks(model: str) -> bool:
    service, _, name = model.partition("/")
    return service in MARKED and "claude" in name


def _nearest(effort: Effort, efforts: Collection[str]) -> str:
    """Return the model's nearest word."""
    if effort == "max":
        return next((word for word in ("max", "xhigh") if word in efforts), "high")
    return "low" if effort == "minimal" and effort not in efforts else effort


def _whole(value: Any) -> Any:
    """Return JSON data with a mark in place of each half of a character: the library's UTF-8 cannot encode it."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
