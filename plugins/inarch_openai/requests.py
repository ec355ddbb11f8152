"""From a `ModelRequest` to the body of a chat completion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
DETAILS = "reasoning_details"
PLAIN: dict[Effort, str] = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "high"}
"""The three words that every service with such a member takes."""


@define(eq=False, repr=False)
class Encoder:
    """Encodes requests; a message that was encoded for one request is not encoded again for the next.

    Args:
        provider: Under which name opaque data of parts is kept.
        extra: Further members of every body; they win.
        output_limit: How the limit of output is called.
        effort: Says in the service's words how much the model is to think.
        marks: Says of which models the service wants marks of what it is to keep.
        effortless: Models that have refused to be told.
    """

    provider: str
    extra: Mapping[str, Any] = field(factory=dict)
    output_limit: str = "max_tokens"
    effort: Callable[[Effort], dict[str, Any]] = field(default=lambda effort: {"reasoning_effort": PLAIN[effort]})
    marks: Callable[[str], bool] | None = None
    effortless: set[str] = field(init=False, factory=set)
    _kept: MessageCache = field(init=False, factory=MessageCache)
    _last: tuple[str, tuple[Message, ...], bytes] = field(init=False, default=("", (), b""))
    _tools: tuple[tuple[ToolSpec, ...], bytes] = field(init=False, default=((), b""))

    def body(self, request: ModelRequest) -> bytes:
        """Return the body of a streamed request."""
        is_marked = self.marks is not None and self.marks(request.model) and chat_pays_to_cache(request)
        system = {"role": "system", "content": request.system}
        messages = [_encoded(chat_cached(system) if is_marked else system)] if request.system else []
        if is_marked and request.messages[-1].role != "assistant":
            *above, last = self._items(request.messages[-1], request.model)
            messages.append(self._messages(request.messages[:-1], request.model))
            messages += [*map(_encoded, above), _encoded(chat_cached(last))]
        else:
            messages.append(self._messages(request.messages, request.model))
        self._kept.asked(request)
        pieces = [b'{"messages":[' + b",".join(filter(None, messages)) + b"]"]
        if request.tools:
            pieces.append(b'"tools":' + self._encoded_tools(request.tools))
        rest = _encoded({**self._options(request), **to_data(self.extra)})
        return b",".join([*pieces, rest[1:]])

    def _messages(self, messages: tuple[Message, ...], model: str) -> bytes:
        """Return the members of the list; where the last request is the beginning of this one, so are its bytes."""
        before, known, encoded = self._last
        if before != model or messages[: len(known)] != known:
            known, encoded = (), b""
        new = (self._message(message, model) for message in messages[len(known) :])
        encoded = b",".join(filter(None, (encoded, *new)))
        self._last = (model, messages, encoded)
        return encoded

    def _message(self, message: Message, model: str) -> bytes:
        def encode(message: Message) -> bytes:
            return b",".join(_encoded(item) for item in self._items(message, model))

        return self._kept.once(message, encode, model)

    def _encoded_tools(self, tools: tuple[ToolSpec, ...]) -> bytes:
        if self._tools[0] is not tools and self._tools[0] != tools:
            self._tools = (tools, _encoded([chat_tool(spec) for spec in tools]))
        return self._tools[1]

    def _options(self, request: ModelRequest) -> dict[str, Any]:
        options: dict[str, Any] = {"model": request.model, "stream": True, "stream_options": {"include_usage": True}}
        if request.tools and request.tool_choice != "auto":
            options["tool_choice"] = request.tool_choice
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options[self.output_limit] = request.max_output_tokens
        if request.effort is not None and request.model not in self.effortless:
            options |= self.effort(request.effort)
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
            yield {"role": message.role, "content": chat_content(message.parts)}

    def _assistant(self, parts: Sequence[Part], model: str) -> dict[str, Any]:
        calls = [chat_call(part) for part in parts if isinstance(part, CallPart)]
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


def _encoded(data: Any) -> bytes:
    # A lone surrogate, such as stands for a byte in a file's name, has no UTF-8.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
