"""From a `ModelRequest` to the body of a chat completion."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch import (
    CallPart,
    Image,
    Message,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolSpec,
    result_text,
    to_data,
)

SCHEMA_NAME = "reply"
DETAILS = "reasoning_details"


@define(eq=False, repr=False)
class Encoder:
    """Encodes requests; a message that was encoded for one request is not encoded again for the next.

    Args:
        provider: Under which name opaque data of parts is kept.
        extra: Further members of every body; they win.
        output_limit: How the limit of output is called.
    """

    provider: str
    extra: Mapping[str, Any] = field(factory=dict)
    output_limit: str = "max_tokens"
    _kept: dict[int, tuple[Message, str, bytes]] = field(init=False, factory=dict)
    _tools: tuple[tuple[ToolSpec, ...], bytes] = field(init=False, default=((), b""))

    def body(self, request: ModelRequest) -> bytes:
        """Return the body of a streamed request."""
        messages = [_encoded({"role": "system", "content": request.system})] if request.system else []
        messages += self._messages(request.messages, request.model)
        pieces = [b'{"messages":[' + b",".join(messages) + b"]"]
        if request.tools:
            pieces.append(b'"tools":' + self._encoded_tools(request.tools))
        rest = _encoded({**self._options(request), **to_data(self.extra)})
        return b",".join([*pieces, rest[1:]])

    def _messages(self, messages: Sequence[Message], model: str) -> list[bytes]:
        kept: dict[int, tuple[Message, str, bytes]] = {}
        encoded = []
        for message in messages:
            known = self._kept.get(id(message))
            if known is None or known[0] is not message or known[1] != model:
                items = [_encoded(item) for item in self._items(message, model)]
                known = (message, model, b",".join(items))
            kept[id(message)] = known  # the message is kept, so that its id stays its own
            if known[2]:
                encoded.append(known[2])
        self._kept = kept
        return encoded

    def _encoded_tools(self, tools: tuple[ToolSpec, ...]) -> bytes:
        if self._tools[0] is not tools and self._tools[0] != tools:
            self._tools = (tools, _encoded([_function(spec) for spec in tools]))
        return self._tools[1]

    def _options(self, request: ModelRequest) -> dict[str, Any]:
        options: dict[str, Any] = {"model": request.model, "stream": True, "stream_options": {"include_usage": True}}
        if request.tools and request.tool_choice != "auto":
            options["tool_choice"] = request.tool_choice
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options[self.output_limit] = request.max_output_tokens
        if request.response_schema is not None:
            schema = {"name": SCHEMA_NAME, "schema": to_data(request.response_schema), "strict": False}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        return options

    def _items(self, message: Message, model: str) -> Iterator[dict[str, Any]]:
        if message.role == "tool":
            for part in message.parts:
                if isinstance(part, ResultPart):
                    text = result_text(part.result)
                    yield {"role": "tool", "tool_call_id": part.provider_id or part.call_id, "content": text}
        elif message.role == "assistant":
            yield self._assistant(message.parts, model)
        else:
            yield {"role": message.role, "content": _content(message.parts)}

    def _assistant(self, parts: Sequence[Part], model: str) -> dict[str, Any]:
        calls = [_call(part) for part in parts if isinstance(part, CallPart)]
        text = "".join(part.text for part in parts if isinstance(part, Text))
        item: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
        if calls:
            item["tool_calls"] = calls
        for part in parts:
            own = (part.provider_data or {}).get(self.provider)
            # What one model encrypted or signed no other can read.
            if isinstance(part, Reasoning) and isinstance(own, Mapping) and own.get("model") == model:
                item[DETAILS] = to_data(own.get(DETAILS))
        return item


def _call(part: CallPart) -> dict[str, Any]:
    arguments = json.dumps(to_data(part.arguments), ensure_ascii=False)
    function = {"name": part.name, "arguments": arguments}
    return {"id": part.provider_id or part.id, "type": "function", "function": function}


def _content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    texts = [part.text for part in parts if isinstance(part, Text)]
    if not any(isinstance(part, Image) for part in parts):
        return "\n\n".join(texts)
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            url = f"data:{part.media_type};base64,{b64encode(part.data).decode('ascii')}"
            content.append({"type": "image_url", "image_url": {"url": url}})
    return content


def _function(spec: ToolSpec) -> dict[str, Any]:
    parameters = to_data(spec.input_schema)
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": parameters},
    }


def _encoded(data: Any) -> bytes:
    # A lone surrogate, such as stands for a byte in a file's name, has no UTF-8.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
